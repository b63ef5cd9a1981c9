//! The help texts. Settings and parameters are listed from their tables, so that none can be missing.

use std::fmt::Write as _;

use crate::request::{Format, Style};
use crate::settings::TABLE;

pub(super) fn overview() -> String {
    "\
edgetile: map tiles from Cloud-Optimized GeoTIFFs, one request at a time

  edgetile serve              serve tiles, and a page to look at them
  edgetile tile URL Z X Y     draw one tile into a file
  edgetile info URL           say what a GeoTIFF is, and what is unusual about it
  edgetile validate URL       say whether a GeoTIFF is a COG, and what a tile of it costs
  edgetile index URL…         pack the headers of GeoTIFFs into one file
  edgetile sign URL           sign an address, so that it opens without a key

  --help after a command says more, --version prints the version.
  Under AWS Lambda (AWS_LAMBDA_RUNTIME_API is set) it is the function."
        .to_owned()
}

pub(super) fn serve() -> String {
    let mut text = "\
edgetile serve: answer tile requests until SIGTERM or ctrl-c, finishing those in flight

  --host HOST   where to listen (127.0.0.1)
  --port PORT   on which port (8080); 0 takes a free one
  --verbose     log each request

Settings, each also by its variable; the option wins:
"
    .to_owned();
    for setting in TABLE {
        let flag = setting.flag.unwrap_or_default();
        let _ = write!(
            text,
            "\n  {flag}  {}\n      {}\n      Default: {}.\n",
            setting.name, setting.meaning, setting.default
        );
    }
    text.push_str("\nStores take the usual AWS_*, GOOGLE_* and AZURE_* variables.");
    text
}

pub(super) fn tile() -> String {
    let formats: Vec<&str> = Format::ALL.iter().map(|format| format.extension()).collect();
    let mut text = format!(
        "\
edgetile tile URL Z X Y: draw one tile of a GeoTIFF, and say what it cost

  URL is a path, or an address that starts with s3://, gs://, az:// or https://.

  -o, --output FILE   where to write it; - is standard output (Z-X-Y.png)
  --format FORMAT     {} (png, or as FILE ends)
  --scale N           1 to 4: pixels for one
  --tms NAME          tile matrix set (WebMercatorQuad)

Style, as in a request; options may be repeated where parameters may:

 ",
        formats.join(", ")
    );
    for name in Style::PARAMETERS {
        let _ = write!(text, " --{name}");
    }
    text
}

pub(super) fn info() -> String {
    "\
edgetile info URL: say what a GeoTIFF is as JSON, what a tile of it costs at each zoom, and what is unusual in it

  Files beside it are named where they are there: overviews (URL.ovr) and a mask (URL.msk).

  URL is a path, or an address that starts with s3://, gs://, az:// or https://."
        .to_owned()
}

pub(super) fn validate() -> String {
    "\
edgetile validate URL [--strict]: say as JSON whether a GeoTIFF is a COG, why not, and what a tile of it costs at each zoom

  The exit status is 0 for a COG, 1 where the file is none, and 2 where that cannot be told: it is not there, or no TIFF.

  --strict   warnings are errors

  URL is a path, or an address that starts with s3://, gs://, az:// or https://."
        .to_owned()
}

pub(super) fn sign() -> String {
    "\
edgetile sign URL [--expires TIME] [--post]: print an address that opens what is protected, until it expires

  URL is one of a request, or a template of tiles such as https://tiles.example.com/tiles/ndvi/{z}/{x}/{y}.png: it then opens
  all tiles of that layer or file in that style and format.

  --expires TIME   30m, 12h or 7d from now, or seconds since 1970 (1d)
  --post           for POST, with whatever body; without it for GET and HEAD

  The first of EDGETILE_SIGNING_KEYS signs. Where the server's own address has a path, as API Gateway's stages have, say so
  with EDGETILE_PUBLIC_URL."
        .to_owned()
}

pub(super) fn index() -> String {
    "\
edgetile index URL… > FILE: pack the headers of GeoTIFFs into one file

  A server that loads it (EDGETILE_INDEX) need not read the head of a file before its first tile: that takes one
  round trip, not two. A file that was replaced since is noticed, and read as if it were not in the index.

  URL is an address that starts with s3://, gs://, az:// or https://, written as requests and layers resolve it, or a
  path; - reads a list from standard input, one on a line. A signature in an address ends up in the index.

  Files that cannot be read are named and left out; the exit status is then 1."
        .to_owned()
}
