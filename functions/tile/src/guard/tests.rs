use super::*;

const SECRET: &str = "sixteen-letters-at-least";
const NOW: u64 = 1_800_000_000;

fn guard(keys: &str, signing: &str) -> Guard {
    Guard::new(
        &Secrets::parse(keys).unwrap(),
        &Secrets::parse(signing).unwrap(),
        None,
    )
}

fn admit(guard: &Guard, target: &str, headers: &[(&str, &str)]) -> Result<Audience, Barred> {
    let mut request = Request::builder().uri(target);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    guard.admit(&request.body(Bytes::new()).unwrap(), NOW)
}

fn signed(guard: &Guard, target: &str) -> String {
    let mark = if target.contains('?') { '&' } else { '?' };
    format!(
        "{target}{mark}{}",
        guard.sign(&Method::GET, target, NOW + 60).unwrap()
    )
}

#[test]
fn a_key_opens_from_wherever_it_is_shown_and_no_other_does() {
    let guard = guard(&format!("another-old-secret,{SECRET}"), "");
    let bearer = format!("bearer {SECRET}");
    for headers in [
        [("authorization", bearer.as_str())],
        [("x-api-key", SECRET)],
        [("x-api-key", "another-old-secret")],
    ] {
        assert_eq!(admit(&guard, "/tiles/a/1/0/0", &headers), Ok(Audience::KeyHolder));
    }
    assert_eq!(
        admit(&guard, &format!("/a?access_token={SECRET}"), &[]),
        Ok(Audience::KeyHolder)
    );
    for wrong in [
        "",
        "sixteen-letters-at-leasT",
        "sixteen-letters-at-least-",
        "another-old-secret,sixteen-letters-at-least",
    ] {
        assert_eq!(
            admit(&guard, "/a", &[("x-api-key", wrong)]),
            Err(Barred::WrongKey),
            "{wrong}"
        );
    }
    assert_eq!(admit(&guard, "/a", &[]), Err(Barred::NoKey));
    assert_eq!(
        admit(&guard, "/a", &[("authorization", "Basic eDp5")]),
        Err(Barred::NoKey)
    );
}

#[test]
fn a_signature_is_the_hmac_of_four_lines() {
    let guard = guard("", SECRET);
    // By Python: base64.urlsafe_b64encode(hmac.new(SECRET, b"edgetile-1\n1800000060\n/tiles/a/{z}/{x}/{y}.png\nrescale=0,1", "sha256").digest())
    let given = guard
        .sign(&Method::GET, "/tiles/a/{z}/{x}/{y}.png?rescale=0,1", NOW + 60)
        .unwrap();
    assert_eq!(
        given,
        "expires=1800000060&signature=oz0LYrNFLnrFdpPRSnnCJGCkOpdGI8Im-qCL-uYFvMU"
    );
}

#[test]
fn a_template_opens_every_tile_of_one_style_and_nothing_else() {
    let guard = guard("", SECRET);
    let template = signed(
        &guard,
        "/tiles/a/{z}/{x}/{y}{r}.png?rescale=0,1&colormap_name=viridis",
    );
    let of = |place: &str| template.replace("{z}/{x}/{y}{r}", place);
    let until = Ok(Audience::Until {
        expires_s: NOW + 60,
        left_s: 60,
    });
    for place in ["1/0/0", "12/2179/1421", "01/00/0@2x", "1/0/0@1x"] {
        assert_eq!(admit(&guard, &of(place), &[]), until, "{place}");
    }
    // Another spelling is the same request.
    assert_eq!(
        admit(
            &guard,
            &of("1/0/0").replace("0,1", "0%2C1").replace("/tiles", "/%74iles"),
            &[]
        ),
        until
    );
    for other in [
        of("1/0/0").replace(".png", ".npy"),
        of("1/0/0").replace(".png", ""),
        of("1/0/0").replace("/tiles/a", "/tiles/b"),
        of("1/0/0").replace("rescale=0,1&", ""),
        of("1/0/0").replace("viridis", "magma"),
        format!("{}&bidx=2", of("1/0/0")),
        of("1/0/0").replace("expires=18", "expires=19"),
        of("1/0/0").replace("{z}", ""),
        of("tilejson.json"),
    ]
    .iter()
    .filter(|other| **other != of("1/0/0"))
    {
        assert_eq!(admit(&guard, other, &[]), Err(Barred::WrongSignature), "{other}");
    }
}

#[test]
fn one_tile_is_one_tile_and_time_ends() {
    let guard = guard("", SECRET);
    let one = signed(
        &guard,
        "/cog/tiles/WebMercatorQuad/3/4/2.png?url=a.tif&unscale=false",
    );
    assert!(admit(&guard, &one, &[]).is_ok());
    // The CDN leaves out what says the default.
    assert!(admit(&guard, &one.replace("&unscale=false", ""), &[]).is_ok());
    assert_eq!(
        admit(&guard, &one.replace("3/4/2", "3/4/3"), &[]),
        Err(Barred::WrongSignature)
    );
    assert_eq!(
        admit(&guard, &one.replace("a.tif", "b.tif"), &[]),
        Err(Barred::WrongSignature)
    );
    let late = format!("/a?{}", guard.sign(&Method::GET, "/a", NOW).unwrap());
    assert_eq!(admit(&guard, &late, &[]), Err(Barred::Expired));
    // A key that replaces another opens what the other signed as long as both stand.
    let both = super::Guard::new(
        &Secrets::default(),
        &Secrets::parse(&format!("the-newer-secret-of-two,{SECRET}")).unwrap(),
        None,
    );
    assert!(admit(&both, &one, &[]).is_ok());
    for odd in [
        "signature=AAAA&expires=x",
        "signature=%00&expires=1800000060",
        "signature=AAAA",
        "expires=1",
    ] {
        assert!(admit(&guard, &format!("/a?{odd}"), &[]).is_err(), "{odd}");
    }
}

#[test]
fn what_is_protected_follows_from_the_keys_unless_told() {
    let open = Guard::new(&Secrets::default(), &Secrets::default(), None);
    assert!(!open.protects_layers() && !open.protects_urls());
    let closed = guard(SECRET, "");
    assert!(closed.protects_layers() && closed.protects_urls());
    let keys = Secrets::parse(SECRET).unwrap();
    let urls = Guard::new(&keys, &Secrets::default(), Some(Protects::Urls));
    assert!(!urls.protects_layers() && urls.protects_urls());
    assert!(
        Secrets::parse(" , ").is_err()
            && Secrets::parse("short").is_err()
            && Secrets::parse("with spaces and more").is_err()
    );
    assert_eq!(format!("{keys:?}"), "1 secrets");
}
