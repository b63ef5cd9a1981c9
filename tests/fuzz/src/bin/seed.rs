//! Writes the first inputs of every target into the folder named by its argument, each target's in one of its own: whole
//! files and blocks of every codec, from what the unit tests read and from the codecs' own encoders, and the texts of
//! requests.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// Kind, bits, samples - 1, mode << 5 | width / 256, width % 256 - 1, height - 1, rows - 1, flags, photometric.
type Format = [u8; 9];

const UINT: u8 = 0;
const FLOAT: u8 = 2;

/// The mode is the compression's place among those of the target.
const fn stripes(mode: u8) -> Format {
    [UINT, 1, 0, mode << 5 | 23, 111, 39, 39, 0, 1]
}

const fn tile(kind: u8, bits: u8, samples: u8, flags: u8, photometric: u8) -> Format {
    [kind, bits, samples - 1, 0, 63, 47, 47, flags, photometric]
}

/// Target, file in testdata/blocks, format.
const BLOCKS: [(&str, &str, Format); 16] = [
    ("webp", "webp_lossless_rgb", tile(UINT, 8, 3, 0, 2)),
    ("webp", "webp_lossless_rgba", tile(UINT, 8, 4, 0, 2)),
    ("webp", "webp_lossy_rgb", tile(UINT, 8, 3, 0, 2)),
    ("lerc", "lerc_u8", tile(UINT, 8, 1, 0, 1)),
    ("lerc", "lerc_rgba", tile(UINT, 8, 4, 0, 2)),
    ("lerc", "lerc_f32", tile(FLOAT, 32, 1, 0, 1)),
    ("lerc", "lerc_deflate_f32_3", tile(FLOAT, 32, 3, 1 << 4, 1)),
    (
        "lerc",
        "lerc_zstd_f32_3_holes_differ",
        tile(FLOAT, 32, 3, 2 << 4, 1),
    ),
    ("ccitt", "ccitt_rle", stripes(0)),
    ("ccitt", "ccitt_g3", stripes(1)),
    ("ccitt", "ccitt_g4", stripes(2)),
    ("jpeg", "jpeg_gray", tile(UINT, 8, 1, 0, 1)),
    ("jpeg", "jpeg_rgb", tile(UINT, 8, 3, 0, 2)),
    ("jpeg", "jpeg_ycbcr", tile(UINT, 8, 3, 0, 6)),
    ("jpeg", "jpeg_cmyk", tile(UINT, 8, 4, 0, 5)),
    ("jpeg", "jpeg_12bit", tile(UINT, 12, 1, 0, 1)),
];

/// Target, bytes before the text, text.
const TEXTS: [(&str, &[u8], &str); 19] = [
    ("expression", b"", "(b2-b1)/(b2+b1)"),
    (
        "expression",
        b"",
        "where((nir>0)&(red!=3),-2.5e3**2,~b1<<2);min(b1,b2,1)%3;b3//0",
    ),
    (
        "expression",
        b"",
        "sqrt(abs(b1))+arctan2(b1,b2)*log10(b2);sin(b1)|2^1",
    ),
    (
        "colour",
        &[0],
        r##"{"0":"#ff0000","1":[0,255,0,128],"-7":"#abc"}"##,
    ),
    ("colour", &[0], r##"[[[0,1],"#ff0000"],[[1.5,1e3],[1,2,3,4]]]"##),
    ("colour", &[0], r##"[[0,"#ff0000"],[10,"#0000ff"]]"##),
    ("colour", &[1], "gamma RGB 1.7, sigmoidal R 3 0.5 saturation 1.2"),
    ("colour", &[2], "0,1000&-1.5,nan&3,2"),
    ("crs", &[3], "EPSG:32633"),
    ("crs", &[3], "urn:ogc:def:crs:EPSG::3857"),
    ("crs", &[3], "http://www.opengis.net/def/crs/OGC/1.3/CRS84"),
    (
        "crs",
        &[2],
        "+proj=lcc +lat_1=49 +lat_2=44 +lat_0=46.5 +lon_0=3 +x_0=700000 +ellps=GRS80 +units=m",
    ),
    (
        "crs",
        &[2],
        "+proj=tmerc +lat_0=49 +lon_0=-2 +k=0.9996 +x_0=4e5 +ellps=airy +towgs84=446.4,-125.2,542.1,0.15,0.25,0.84,-20.5",
    ),
    (
        "crs",
        &[2],
        "+proj=stere +lat_0=90 +lat_ts=70 +lon_0=-45 +a=6378273 +b=6356889.449 +units=us-ft +axis=wnu",
    ),
    ("crs", &[2], "+proj=sinu +R=6371007.181"),
    (
        "crs",
        &[1],
        r#"PROJCS["UTM 33",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",15],PARAMETER["scale_factor",0.9996],PARAMETER["false_easting",500000],PARAMETER["false_northing",0],UNIT["metre",1]]"#,
    ),
    (
        "crs",
        &[1],
        r#"PROJCRS["x",BASEGEOGCRS["ETRS89",DATUM["European Terrestrial Reference System 1989",ELLIPSOID["GRS 1980",6378137,298.257222101]]],CONVERSION["c",METHOD["Lambert Azimuthal Equal Area",ID["EPSG",9820]],PARAMETER["Latitude of natural origin",52],PARAMETER["Longitude of natural origin",10]],CS[Cartesian,2],AXIS["northing",north],AXIS["easting",east],LENGTHUNIT["metre",1]]"#,
    ),
    (
        "crs",
        &[1],
        r#"COMPD_CS["c",GEOGCS["NAD27",DATUM["D",SPHEROID["Clarke 1866",6378206.4,294.98]],UNIT["grad",0.015707963]],VERT_CS["h",VERT_DATUM["d",2005]]]"#,
    ),
    ("crs", &[1], r#"LOCAL_CS["site",UNIT["foot",0.3048]]"#),
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("usage: seed FOLDER")?;
    let seeds = Seeds {
        folder: folder.into(),
    };
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../functions/raster/testdata");
    for (at, (target, before, text)) in TEXTS.iter().enumerate() {
        seeds.write(target, &at.to_string(), &[before, text.as_bytes()].concat())?;
    }
    seeds.write("crs", "geokeys", &geo_keys())?;
    for entry in fs::read_dir(testdata.join("files"))? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        // The coarsest level, and the first window of it.
        let input = [fs::read(&path)?.as_slice(), &[255, 0, 0, 1]].concat();
        seeds.write("header", &name, &input)?;
    }
    for (target, name, format) in BLOCKS {
        let file = |name: &str| testdata.join("blocks").join(name);
        let tables = fs::read(file(&format!("{name}.tables.bin"))).unwrap_or_default();
        let bytes = fs::read(file(&format!("{name}.bin")))?;
        seeds.block(target, name, format, &tables, &bytes)?;
    }
    seeds.streams()
}

/// A projected system spelled out: Lambert's conformal conic with numbers of its own, and a citation.
fn geo_keys() -> Vec<u8> {
    let doubles = [49.0, 44.0, 46.5, 3.0, 700_000.0, 6_600_000.0f64];
    let entries: [[u16; 4]; 13] = [
        [1, 1, 0, 12],
        [1024, 0, 1, 1],
        [1025, 0, 1, 1],
        [1026, 34737, 9, 0],
        [2048, 0, 1, 4171],
        [3072, 0, 1, 32767],
        [3075, 0, 1, 8],
        [3076, 0, 1, 9001],
        [3078, 34736, 1, 0],
        [3079, 34736, 1, 1],
        [3085, 34736, 1, 2],
        [3084, 34736, 1, 3],
        [3086, 34736, 1, 4],
    ];
    let shorts = entries.len() as u8 * 4;
    let mut input = vec![0, shorts, doubles.len() as u8];
    input.extend(entries.iter().flatten().flat_map(|short| short.to_le_bytes()));
    input.extend(doubles.iter().flat_map(|double| double.to_le_bytes()));
    input.extend(b"Lambert|x");
    input
}

struct Seeds {
    folder: PathBuf,
}

impl Seeds {
    /// Byte streams that any samples may lie in.
    fn streams(&self) -> Result<(), Box<dyn Error>> {
        let raw: Vec<u8> = (0..64 * 48 * 4u32)
            .map(|i| ((i * i) >> 10) as u8 ^ (i % 3) as u8)
            .collect();
        let literals: Vec<u8> = raw
            .chunks(100)
            .flat_map(|run| [&[run.len() as u8 - 1], run].concat())
            .collect();
        let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
        let mut deflated = vec![0; compressor.zlib_compress_bound(raw.len())];
        let len = compressor.zlib_compress(&raw, &mut deflated)?;
        deflated.truncate(len);
        let zstandard = zstd::bulk::compress(&raw, 3)?;
        let lzma = liblzma::encode_all(raw.as_slice(), 6)?;
        let lzw = weezl::encode::Encoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8).encode(&raw)?;
        let streams = [
            ("none", &raw),
            ("packbits", &literals),
            ("deflate", &deflated),
            ("zstd", &zstandard),
            ("lzma", &lzma),
            ("lzw", &lzw),
        ];
        for (target, bytes) in streams {
            for (name, flags) in [("plain", 0), ("horizontal", 1), ("big", 1 | 4), ("lsb", 8)] {
                self.block(target, name, tile(UINT, 16, 2, flags, 1), &[], bytes)?;
            }
            self.block(target, "floats", tile(FLOAT, 32, 1, 2, 1), &[], bytes)?;
            self.block(target, "bits", tile(UINT, 12, 1, 0, 1), &[], bytes)?;
            self.block(target, "ycbcr", tile(UINT, 8, 3, 1 << 4, 6), &[], bytes)?;
        }
        Ok(())
    }

    fn block(
        &self,
        target: &str,
        name: &str,
        format: Format,
        tables: &[u8],
        bytes: &[u8],
    ) -> std::io::Result<()> {
        let input = [format.as_slice(), &[tables.len() as u8], tables, bytes].concat();
        self.write(&format!("decode_{target}"), name, &input)
    }

    fn write(&self, target: &str, name: &str, input: &[u8]) -> std::io::Result<()> {
        let folder = self.folder.join(target);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(name), input)
    }
}
