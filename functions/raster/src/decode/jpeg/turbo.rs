//! A safe face of TurboJPEG 3 with what the crate `turbojpeg` leaves out: decoding the first rows only, and 12 bits.

use std::ffi::CStr;

use turbojpeg::raw;

use super::super::MAX_BLOCK_BYTES;

/// A decompressor.
pub(super) struct Turbo(raw::tjhandle);

/// What the header of a stream says.
pub(super) struct Header {
    pub(super) width: usize,
    pub(super) height: usize,
    /// Bits of a sample.
    pub(super) precision: i32,
}

/// Components of the pixels that come out; red, green and blue where the stream holds YCbCr.
#[derive(Clone, Copy)]
pub(super) enum Pixels {
    Gray,
    Rgb,
    Cmyk,
}

impl Pixels {
    fn format(self) -> i32 {
        match self {
            Self::Gray => raw::TJPF_TJPF_GRAY,
            Self::Rgb => raw::TJPF_TJPF_RGB,
            Self::Cmyk => raw::TJPF_TJPF_CMYK,
        }
    }

    fn components(self) -> usize {
        match self {
            Self::Gray => 1,
            Self::Rgb => 3,
            Self::Cmyk => 4,
        }
    }
}

impl Turbo {
    /// A decompressor that takes every warning for an error: libjpeg warns where it fills in what is missing.
    #[expect(unsafe_code, reason = "TurboJPEG is a C library")]
    pub(super) fn new() -> Result<Self, String> {
        // SAFETY: no pointer goes in; a null that comes out is caught below.
        let handle = unsafe { raw::tj3Init(raw::TJINIT_TJINIT_DECOMPRESS as i32) };
        if handle.is_null() {
            return Err("libjpeg does not start".into());
        }
        let mut turbo = Self(handle);
        turbo.set(raw::TJPARAM_TJPARAM_STOPONWARNING, 1)?;
        // A progressive stream may hold any number of scans of the whole picture; writers make about ten.
        turbo.set(raw::TJPARAM_TJPARAM_SCANLIMIT, 64)?;
        // And it is held whole in libjpeg.
        turbo.set(raw::TJPARAM_TJPARAM_MAXMEMORY, (MAX_BLOCK_BYTES >> 20) as i32)?;
        Ok(turbo)
    }

    /// Reads the header of a stream.
    #[expect(unsafe_code, reason = "TurboJPEG is a C library")]
    pub(super) fn header(&mut self, stream: &[u8]) -> Result<Header, String> {
        // SAFETY: the handle lives as long as `self`; pointer and length are those of `stream`.
        let status =
            unsafe { raw::tj3DecompressHeader(self.0, stream.as_ptr(), stream.len() as raw::size_t) };
        self.accept(status)?;
        Ok(Header {
            width: usize::try_from(self.get(raw::TJPARAM_TJPARAM_JPEGWIDTH)).unwrap_or(0),
            height: usize::try_from(self.get(raw::TJPARAM_TJPARAM_JPEGHEIGHT)).unwrap_or(0),
            precision: self.get(raw::TJPARAM_TJPARAM_PRECISION),
        })
    }

    /// Decodes the first `rows` rows of an 8-bit stream: `[rows, width, components]`.
    #[expect(unsafe_code, reason = "TurboJPEG is a C library")]
    pub(super) fn decode8(&mut self, stream: &[u8], pixels: Pixels, rows: usize) -> Result<Vec<u8>, String> {
        let (pitch, rows_out) = self.crop(stream, pixels, rows)?;
        let mut out = vec![0u8; pitch * rows_out];
        // SAFETY: as in `header`; `crop` has set the region, so that at most `rows_out` rows of `pitch` samples are
        // written, and TurboJPEG reads the header of the same bytes again before it does.
        let status = unsafe {
            let (from, len) = (stream.as_ptr(), stream.len() as raw::size_t);
            raw::tj3Decompress8(self.0, from, len, out.as_mut_ptr(), pitch as i32, pixels.format())
        };
        self.accept(status)?;
        out.truncate(pitch * rows);
        Ok(out)
    }

    /// Decodes the first `rows` rows of a 12-bit stream: `[rows, width, components]`.
    #[expect(unsafe_code, reason = "TurboJPEG is a C library")]
    pub(super) fn decode12(
        &mut self,
        stream: &[u8],
        pixels: Pixels,
        rows: usize,
    ) -> Result<Vec<u16>, String> {
        let (pitch, rows_out) = self.crop(stream, pixels, rows)?;
        let mut out = vec![0u16; pitch * rows_out];
        // SAFETY: as in `decode8`; the samples are written as `short`, of the same size.
        let status = unsafe {
            let (from, len) = (stream.as_ptr(), stream.len() as raw::size_t);
            raw::tj3Decompress12(
                self.0,
                from,
                len,
                out.as_mut_ptr().cast(),
                pitch as i32,
                pixels.format(),
            )
        };
        self.accept(status)?;
        out.truncate(pitch * rows);
        Ok(out)
    }

    /// Sets the first `rows` rows as the region to decode. Gives the samples of a row and the rows that will be written:
    /// all of them, where libjpeg knows no name for the subsampling and so cannot crop.
    #[expect(unsafe_code, reason = "TurboJPEG is a C library")]
    fn crop(&mut self, stream: &[u8], pixels: Pixels, rows: usize) -> Result<(usize, usize), String> {
        let header = self.header(stream)?;
        let pitch = header.width * pixels.components();
        let whole = raw::tjregion {
            x: 0,
            y: 0,
            w: 0,
            h: 0,
        };
        let first = raw::tjregion {
            h: rows as i32,
            ..whole
        };
        // SAFETY: no pointer but the handle goes in.
        let is_cropped = unsafe { raw::tj3SetCroppingRegion(self.0, first) } == 0;
        if is_cropped {
            return Ok((pitch, rows));
        }
        // SAFETY: as above.
        let status = unsafe { raw::tj3SetCroppingRegion(self.0, whole) };
        self.accept(status)?;
        if (pitch * header.height) as u64 > MAX_BLOCK_BYTES {
            return Err("it is too large to be decoded whole".into());
        }
        Ok((pitch, header.height))
    }

    #[expect(unsafe_code, reason = "TurboJPEG is a C library")]
    fn set(&mut self, parameter: raw::TJPARAM, value: i32) -> Result<(), String> {
        // SAFETY: no pointer but the handle goes in.
        let status = unsafe { raw::tj3Set(self.0, parameter as i32, value) };
        self.accept(status)
    }

    #[expect(unsafe_code, reason = "TurboJPEG is a C library")]
    fn get(&self, parameter: raw::TJPARAM) -> i32 {
        // SAFETY: no pointer but the handle goes in.
        unsafe { raw::tj3Get(self.0, parameter as i32) }
    }

    #[expect(unsafe_code, reason = "TurboJPEG is a C library")]
    fn accept(&self, status: i32) -> Result<(), String> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: TurboJPEG gives a string that ends in zero and stays until the next call with this handle.
        let text = unsafe { CStr::from_ptr(raw::tj3GetErrorStr(self.0)) };
        Err(text.to_string_lossy().to_lowercase())
    }
}

impl Drop for Turbo {
    #[expect(unsafe_code, reason = "TurboJPEG is a C library")]
    fn drop(&mut self) {
        // SAFETY: the handle came from `tj3Init` and is used no more.
        unsafe { raw::tj3Destroy(self.0) };
    }
}
