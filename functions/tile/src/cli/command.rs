//! Arguments into a command: the low form, which holds text as it was written and has looked nothing up.

use std::collections::BTreeMap;
use std::ffi::OsString;

use lexopt::{Arg, Parser, ValueExt};

use super::help;
use crate::request::{Style, slip_of};
use crate::settings::TABLE;

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    /// Print a text.
    Print(String),
    /// Serve until told to stop.
    Serve {
        /// Where to listen.
        host: String,
        /// On which port; 0 takes a free one.
        port: u16,
        /// Log each request.
        verbose: bool,
        /// Settings by their flag.
        settings: BTreeMap<String, String>,
    },
    /// Draw one tile.
    Tile(Tile),
    /// Say what a file is.
    Info {
        /// Which file.
        url: String,
    },
    /// Say whether a file is a COG.
    Validate {
        /// The file.
        url: String,
        /// Whether warnings are errors.
        is_strict: bool,
    },
    /// Sign an address.
    Sign {
        /// The address, or a template of tiles.
        url: String,
        /// Until when, as it was written.
        expires: String,
        /// Whether it is asked by POST.
        is_posted: bool,
    },
    /// Pack the headers of files into an index.
    Index {
        /// Which files; `-` stands for a list on standard input.
        urls: Vec<String>,
    },
}

/// A tile of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tile {
    /// Which file.
    pub url: String,
    /// Zoom, column and row, as they were written.
    pub place: [String; 3],
    /// Where to write it; `-` is standard output, nothing a name made of the place.
    pub output: Option<String>,
    /// Scale, format and tile matrix set, where given.
    pub scale: Option<String>,
    /// The extension that names the format.
    pub format: Option<String>,
    /// The tile matrix set.
    pub grid: Option<String>,
    /// Parameters of style, by their name in a query.
    pub style: Vec<(String, String)>,
}

/// A command line that cannot be meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}\nedgetile --help says more")]
pub struct Usage(pub String);

impl From<lexopt::Error> for Usage {
    fn from(error: lexopt::Error) -> Self {
        Self(error.to_string())
    }
}

impl Command {
    /// Reads the arguments, without the program's name.
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, Usage> {
        let mut parser = Parser::from_args(arguments);
        match parser.next()? {
            Some(Arg::Short('h') | Arg::Long("help")) => Ok(Self::Print(help::overview())),
            Some(Arg::Short('V') | Arg::Long("version")) => Ok(Self::Print(
                concat!("edgetile ", env!("CARGO_PKG_VERSION")).to_owned(),
            )),
            Some(Arg::Value(name)) => match name.string()?.as_str() {
                "serve" => serve(&mut parser),
                "tile" => tile(&mut parser),
                "info" => info(&mut parser),
                "validate" => validate(&mut parser),
                "index" => index(&mut parser),
                "sign" => sign(&mut parser),
                other => Err(Usage(format!(
                    "{other} is no command: there are serve, tile, info, validate, index and sign"
                ))),
            },
            Some(other) => Err(other.unexpected().into()),
            None => Err(Usage(
                "give a command: serve, tile, info, validate, index or sign".to_owned(),
            )),
        }
    }
}

fn serve(parser: &mut Parser) -> Result<Command, Usage> {
    let (mut host, mut port, mut verbose) = ("127.0.0.1".to_owned(), 8080, false);
    let mut settings = BTreeMap::new();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Print(help::serve())),
            Arg::Short('v') | Arg::Long("verbose") => verbose = true,
            Arg::Long("host") => host = parser.value()?.string()?,
            Arg::Short('p') | Arg::Long("port") => port = parser.value()?.parse()?,
            Arg::Long(name) => {
                let flag = format!("--{name}");
                if !TABLE.iter().any(|setting| setting.flag == Some(&flag)) {
                    return Err(Usage(format!("{flag} is no option of serve")));
                }
                settings.insert(flag, parser.value()?.string()?);
            }
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Command::Serve {
        host,
        port,
        verbose,
        settings,
    })
}

fn tile(parser: &mut Parser) -> Result<Command, Usage> {
    let mut tile = Tile::default();
    let mut words = Vec::new();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Print(help::tile())),
            Arg::Short('o') | Arg::Long("output") => tile.output = Some(parser.value()?.string()?),
            Arg::Long("scale") => tile.scale = Some(parser.value()?.string()?),
            Arg::Long("format") => tile.format = Some(parser.value()?.string()?),
            Arg::Long("tms") => tile.grid = Some(parser.value()?.string()?),
            Arg::Long(name) => {
                let name = parameter(name)?;
                // A value may begin with a minus: rescale -1,1.
                let value = parser.optional_value().map_or_else(|| next_raw(parser), Ok)?;
                tile.style.push((name.to_owned(), value.string()?));
            }
            Arg::Value(word) => words.push(word.string()?),
            Arg::Short(_) => return Err(argument.unexpected().into()),
        }
    }
    match <[String; 4]>::try_from(words) {
        Ok([url, z, x, y]) => Ok(Command::Tile(Tile {
            url,
            place: [z, x, y],
            ..tile
        })),
        Err(_) => Err(Usage(
            "tile takes a url, a zoom, a column and a row: edgetile tile URL Z X Y".to_owned(),
        )),
    }
}

/// The parameter of style of that name, written with `-` or `_`.
fn parameter(flag: &str) -> Result<&'static str, Usage> {
    let name = flag.replace('-', "_");
    Style::PARAMETERS
        .iter()
        .copied()
        .find(|known| *known == name)
        .ok_or_else(|| {
            let hint = slip_of(&name)
                .map(|near| format!(": do you mean --{near}?"))
                .unwrap_or_default();
            Usage(format!("--{flag} is no option of tile{hint}"))
        })
}

fn next_raw(parser: &mut Parser) -> Result<OsString, Usage> {
    let mut raw = parser.raw_args()?;
    raw.next()
        .ok_or_else(|| Usage("the last option has no value".to_owned()))
}

fn info(parser: &mut Parser) -> Result<Command, Usage> {
    let mut url = None;
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Print(help::info())),
            Arg::Value(word) if url.is_none() => url = Some(word.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let url = url.ok_or_else(|| Usage("info takes a url: edgetile info URL".to_owned()))?;
    Ok(Command::Info { url })
}

fn index(parser: &mut Parser) -> Result<Command, Usage> {
    let mut urls = Vec::new();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Print(help::index())),
            Arg::Value(word) => urls.push(word.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    if urls.is_empty() {
        return Err(Usage("index takes urls: edgetile index URL… > FILE".to_owned()));
    }
    Ok(Command::Index { urls })
}

fn validate(parser: &mut Parser) -> Result<Command, Usage> {
    let (mut url, mut is_strict) = (None, false);
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Print(help::validate())),
            Arg::Long("strict") => is_strict = true,
            Arg::Value(word) if url.is_none() => url = Some(word.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let url = url.ok_or_else(|| Usage("validate takes a url: edgetile validate URL".to_owned()))?;
    Ok(Command::Validate { url, is_strict })
}

fn sign(parser: &mut Parser) -> Result<Command, Usage> {
    let (mut url, mut expires, mut is_posted) = (None, "1d".to_owned(), false);
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Print(help::sign())),
            Arg::Long("expires") => expires = parser.value()?.string()?,
            Arg::Long("post") => is_posted = true,
            Arg::Value(word) if url.is_none() => url = Some(word.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let url = url.ok_or_else(|| Usage("sign takes an address: edgetile sign URL".to_owned()))?;
    Ok(Command::Sign {
        url,
        expires,
        is_posted,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Command, Usage> {
        Command::parse(line.split_whitespace().map(OsString::from))
    }

    fn message(line: &str) -> String {
        parse(line).unwrap_err().to_string()
    }

    #[test]
    fn serve_takes_every_setting_that_has_a_flag() {
        let Ok(Command::Serve {
            host,
            port,
            verbose,
            settings,
        }) = parse("serve --port 0 --data=/d --layers l.json -v")
        else {
            panic!()
        };
        assert_eq!((host.as_str(), port, verbose), ("127.0.0.1", 0, true));
        assert_eq!(settings.get("--data").map(String::as_str), Some("/d"));
        assert_eq!(settings.len(), 2);
        for flag in TABLE.iter().filter_map(|setting| setting.flag) {
            assert!(parse(&format!("serve {flag} x")).is_ok(), "{flag}");
        }
    }

    #[test]
    fn tile_takes_every_parameter_of_style_and_values_that_begin_with_a_minus() {
        let Ok(Command::Tile(tile)) =
            parse("tile a.tif 1 2 3 -o t.png --rescale -1,1 --colormap-name viridis --bidx=2")
        else {
            panic!()
        };
        assert_eq!(
            (tile.url.as_str(), tile.place),
            ("a.tif", ["1", "2", "3"].map(str::to_owned))
        );
        assert_eq!(tile.output.as_deref(), Some("t.png"));
        let style = [("rescale", "-1,1"), ("colormap_name", "viridis"), ("bidx", "2")];
        assert_eq!(
            tile.style,
            style.map(|(name, value)| (name.to_owned(), value.to_owned()))
        );
        for name in Style::PARAMETERS {
            assert!(parse(&format!("tile --{name} 1 a 1 2 3")).is_ok(), "{name}");
        }
    }

    #[test]
    fn help_is_everywhere_and_names_what_is_there() {
        for line in [
            "--help",
            "-h",
            "serve --help",
            "tile -h",
            "info --help",
            "validate -h",
            "index -h",
            "sign -h",
        ] {
            let Ok(Command::Print(text)) = parse(line) else {
                panic!("{line}")
            };
            assert!(text.starts_with("edgetile"), "{line}: {text}");
        }
        let Ok(Command::Print(text)) = parse("serve --help") else {
            panic!()
        };
        for setting in TABLE {
            assert!(
                text.contains(setting.name) && text.contains(setting.meaning),
                "{}",
                setting.name
            );
        }
        let Ok(Command::Print(text)) = parse("tile --help") else {
            panic!()
        };
        assert!(
            Style::PARAMETERS
                .iter()
                .all(|name| text.contains(&format!("--{name}"))),
            "{text}"
        );
        assert_eq!(
            parse("--version"),
            Ok(Command::Print(format!("edgetile {}", env!("CARGO_PKG_VERSION"))))
        );
    }

    #[test]
    fn what_cannot_be_meant_is_said() {
        for (line, wanted) in [
            ("", "give a command"),
            ("sevre", "sevre is no command"),
            ("serve --port many", "many"),
            ("serve --port 70000", "70000"),
            ("serve --nosuch 1", "--nosuch is no option of serve"),
            ("serve here", "here"),
            ("tile a.tif 1 2", "tile takes a url, a zoom"),
            ("tile a.tif 1 2 3 --rescael 0,1", "do you mean --rescale?"),
            ("tile a.tif 1 2 3 --bidx", "has no value"),
            ("info", "info takes a url"),
            ("validate --strict", "validate takes a url"),
            ("info a b", "b"),
            ("index", "index takes urls"),
            ("sign --expires 1h", "sign takes an address"),
            ("index --all", "--all"),
        ] {
            assert!(message(line).contains(wanted), "{line}: {}", message(line));
        }
    }
}
