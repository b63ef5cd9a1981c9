use super::*;

fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs
        .iter()
        .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
        .collect()
}

fn read(flags: &[(&str, &str)], environment: &[(&str, &str)]) -> Result<Settings, Unusable> {
    Settings::read(&map(flags), map(environment))
}

#[test]
fn with_nothing_set_the_sample_is_served() {
    let settings = read(&[], &[]).unwrap();
    assert_eq!(settings.data, Some(Root::Embedded));
    assert_eq!((settings.layers, settings.cache_bytes), (None, 16_000_000));
    assert_eq!(settings.empty_tile, EmptyTile::NoContent);
    assert!(settings.allowed.is_empty());
}

#[test]
fn layers_alone_open_no_data_root_to_callers() {
    let settings = read(&[("--layers", "layers.json")], &[]).unwrap();
    assert_eq!(
        (settings.data, settings.layers.as_deref()),
        (None, Some("layers.json"))
    );
}

#[test]
fn flags_win_and_empty_counts_as_absent() {
    let environment = [
        ("EDGETILE_DATA", "/env"),
        ("EDGETILE_EMPTY_TILE", "404"),
        ("EDGETILE_CACHE_MB", " "),
    ];
    let settings = read(&[("--data", "/flag")], &environment).unwrap();
    assert_eq!(settings.data, Some(Root::Folder("/flag".into())));
    assert_eq!(
        (settings.empty_tile, settings.cache_bytes),
        (EmptyTile::NotFound, 16_000_000)
    );
}

#[test]
fn what_cannot_be_meant_names_the_place_where_it_was_written() {
    for (flags, environment, message) in [
        (
            vec![],
            vec![("EDGETILE_CACHE_MB", "lots")],
            "EDGETILE_CACHE_MB: is not a number of megabytes",
        ),
        (
            vec![("--cache-mb", "-1")],
            vec![("EDGETILE_CACHE_MB", "1")],
            "--cache-mb: is not a number of megabytes",
        ),
        (
            vec![],
            vec![("EDGETILE_EMPTY_TILE", "200")],
            "EDGETILE_EMPTY_TILE: is none of 204, 404, transparent",
        ),
        (
            vec![],
            vec![("EDGETILE_CACHE_CONTROL", "a\nb")],
            "EDGETILE_CACHE_CONTROL: holds a character that a header cannot",
        ),
    ] {
        assert_eq!(read(&flags, &environment).unwrap_err().to_string(), message);
    }
    for (name, value) in [
        ("EDGETILE_DATA", "ftp://h"),
        ("EDGETILE_ALLOW_URLS", "h"),
        ("EDGETILE_PUBLIC_URL", "tiles.org"),
        ("EDGETILE_METRICS", "AWS/Lambda"),
        ("EDGETILE_METRICS", "a\"b"),
    ] {
        let message = read(&[], &[(name, value)]).unwrap_err().to_string();
        assert!(message.starts_with(name), "{message}");
    }
}

#[test]
fn metrics_carry_the_name_of_the_function() {
    let of = |environment: &[(&str, &str)]| read(&[], environment).unwrap().metrics;
    assert_eq!(of(&[]), None);
    let metrics = of(&[("EDGETILE_METRICS", "tiles"), ("AWS_LAMBDA_FUNCTION_NAME", "f")]).unwrap();
    assert_eq!(
        (metrics.namespace.as_str(), metrics.function.as_str()),
        ("tiles", "f")
    );
    assert_eq!(of(&[("EDGETILE_METRICS", "tiles")]).unwrap().function, "edgetile");
}

#[test]
fn credentials_are_kept_for_the_stores_and_never_shown() {
    let environment = [
        ("AWS_SECRET_ACCESS_KEY", "hush"),
        ("AWS_REGION", "eu-central-1"),
        ("AWS_LAMBDA_RUNTIME_API", "127.0.0.1:9001"),
        ("HOME", "/root"),
    ];
    let settings = read(&[], &environment).unwrap();
    assert!(Settings::is_lambda(&map(&environment)) && !Settings::is_lambda(&map(&[])));
    assert_eq!(settings.stores.get("AWS_SECRET_ACCESS_KEY"), Some("hush"));
    assert_eq!(settings.stores.starting_with("AWS_").count(), 2);
    let shown = format!("{settings:?}");
    assert!(!shown.contains("hush") && !shown.contains("/root"), "{shown}");
}

#[test]
fn the_table_holds_each_default_that_is_a_value() {
    let default = |name: &str| TABLE.iter().find(|setting| setting.name == name).unwrap().default;
    assert_eq!(default("EDGETILE_CACHE_MB"), CACHE_MB.to_string());
    assert_eq!(default("EDGETILE_READS"), READS.to_string());
    assert_eq!(
        EmptyTile::parse(default("EDGETILE_EMPTY_TILE")),
        Ok(EmptyTile::default())
    );
}
