//! Tag numbers, by the names of TIFF 6.0, OGC GeoTIFF 1.1 and GDAL.

pub const NEW_SUBFILE_TYPE: u16 = 254;
pub const SUBFILE_TYPE: u16 = 255;
pub const IMAGE_WIDTH: u16 = 256;
pub const IMAGE_LENGTH: u16 = 257;
pub const BITS_PER_SAMPLE: u16 = 258;
pub const COMPRESSION: u16 = 259;
pub const PHOTOMETRIC: u16 = 262;
pub const FILL_ORDER: u16 = 266;
pub const STRIP_OFFSETS: u16 = 273;
pub const SAMPLES_PER_PIXEL: u16 = 277;
pub const ROWS_PER_STRIP: u16 = 278;
pub const STRIP_BYTE_COUNTS: u16 = 279;
pub const PLANAR_CONFIGURATION: u16 = 284;
pub const T4_OPTIONS: u16 = 292;
pub const T6_OPTIONS: u16 = 293;
pub const PREDICTOR: u16 = 317;
pub const COLOR_MAP: u16 = 320;
pub const TILE_WIDTH: u16 = 322;
pub const TILE_LENGTH: u16 = 323;
pub const TILE_OFFSETS: u16 = 324;
pub const TILE_BYTE_COUNTS: u16 = 325;
pub const SUB_IFDS: u16 = 330;
pub const EXTRA_SAMPLES: u16 = 338;
pub const SAMPLE_FORMAT: u16 = 339;
pub const JPEG_TABLES: u16 = 347;
pub const YCBCR_SUBSAMPLING: u16 = 530;
pub const MODEL_PIXEL_SCALE: u16 = 33550;
pub const MODEL_TIEPOINT: u16 = 33922;
pub const MODEL_TRANSFORMATION: u16 = 34264;
pub const GEO_KEY_DIRECTORY: u16 = 34735;
pub const GEO_DOUBLE_PARAMS: u16 = 34736;
pub const GEO_ASCII_PARAMS: u16 = 34737;
pub const GDAL_METADATA: u16 = 42112;
pub const GDAL_NODATA: u16 = 42113;
pub const LERC_PARAMETERS: u16 = 50674;

/// The tags whose values are read with the directory.
pub const READ: [u16; 32] = [
    NEW_SUBFILE_TYPE,
    SUBFILE_TYPE,
    IMAGE_WIDTH,
    IMAGE_LENGTH,
    BITS_PER_SAMPLE,
    COMPRESSION,
    PHOTOMETRIC,
    FILL_ORDER,
    SAMPLES_PER_PIXEL,
    ROWS_PER_STRIP,
    PLANAR_CONFIGURATION,
    T4_OPTIONS,
    T6_OPTIONS,
    PREDICTOR,
    COLOR_MAP,
    TILE_WIDTH,
    TILE_LENGTH,
    SUB_IFDS,
    EXTRA_SAMPLES,
    SAMPLE_FORMAT,
    JPEG_TABLES,
    YCBCR_SUBSAMPLING,
    MODEL_PIXEL_SCALE,
    MODEL_TIEPOINT,
    MODEL_TRANSFORMATION,
    GEO_KEY_DIRECTORY,
    GEO_DOUBLE_PARAMS,
    GEO_ASCII_PARAMS,
    GDAL_METADATA,
    GDAL_NODATA,
    LERC_PARAMETERS,
    // Read as a marker only: GDAL's statistics and band names lie in 42112.
    42114,
];
