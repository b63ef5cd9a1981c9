use edgetile_raster::decode::*;
use std::time::Instant;
fn noise(n: usize, smooth: bool) -> Vec<u16> {
    // multi-octave value noise, 512 wide
    let mut s = 1u32;
    let mut r = move || {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        s
    };
    let w = 512;
    let h = n / w;
    let mut out = vec![0f32; n];
    for oct in 0..6 {
        let step = 128 >> oct;
        let gw = w / step + 2;
        let gh = h / step + 2;
        let g: Vec<f32> = (0..gw * gh).map(|_| (r() % 1000) as f32 / 1000.).collect();
        for y in 0..h {
            for x in 0..w {
                let (fx, fy) = ((x % step) as f32 / step as f32, (y % step) as f32 / step as f32);
                let (gx, gy) = (x / step, y / step);
                let a = g[gy * gw + gx] * (1. - fx) + g[gy * gw + gx + 1] * fx;
                let b = g[(gy + 1) * gw + gx] * (1. - fx) + g[(gy + 1) * gw + gx + 1] * fx;
                out[y * w + x] += (a * (1. - fy) + b * fy) * (0.6f32).powi(oct as i32);
            }
        }
    }
    out.iter()
        .map(|v| {
            let e = if smooth { 0 } else { r() % 64 };
            (v * 2500.) as u16 + e as u16
        })
        .collect()
}
fn time(name: &str, f: &BlockFormat, b: &[u8], raw: usize, need: u32) {
    let mut best = f64::MAX;
    for _ in 0..40 {
        let t = Instant::now();
        let d = decode(f, b, f.height_px, need).unwrap();
        std::hint::black_box(&d);
        best = best.min(t.elapsed().as_secs_f64());
    }
    println!(
        "{name:28} {:7.0} us {:7.0} MB/s  packed {:.2}",
        best * 1e6,
        raw as f64 / best / 1e6,
        raw as f64 / b.len() as f64
    );
}
fn main() {
    let n = 512 * 512;
    let v = noise(n, false);
    let base = BlockFormat {
        kind: SampleKind::Uint,
        bits: 16,
        samples_per_pixel: 1,
        width_px: 512,
        height_px: 512,
        ..BlockFormat::default()
    };
    let mut diff = v.clone();
    for row in diff.chunks_mut(512) {
        for i in (1..512).rev() {
            row[i] = row[i].wrapping_sub(row[i - 1]);
        }
    }
    let bytes: Vec<u8> = v.iter().flat_map(|v| v.to_le_bytes()).collect();
    let dbytes: Vec<u8> = diff.iter().flat_map(|v| v.to_le_bytes()).collect();
    let z = |b: &[u8]| {
        let mut c = libdeflater::Compressor::new(libdeflater::CompressionLvl::new(6).unwrap());
        let mut o = vec![0; c.zlib_compress_bound(b.len())];
        let l = c.zlib_compress(b, &mut o).unwrap();
        o.truncate(l);
        o
    };
    let lzw = |b: &[u8]| {
        weezl::encode::Encoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8)
            .encode(b)
            .unwrap()
    };
    let p2 = BlockFormat {
        predictor: Predictor::Horizontal,
        ..base.clone()
    };
    let c = |f: &BlockFormat, c| BlockFormat {
        compression: c,
        ..f.clone()
    };
    time("none u16", &base, &bytes, bytes.len(), 512);
    time(
        "none u16 be",
        &BlockFormat {
            byte_order: ByteOrder::Big,
            ..base.clone()
        },
        &bytes,
        bytes.len(),
        512,
    );
    time(
        "deflate u16",
        &c(&base, Compression::Deflate),
        &z(&bytes),
        bytes.len(),
        512,
    );
    time(
        "deflate u16 p2",
        &c(&p2, Compression::Deflate),
        &z(&dbytes),
        bytes.len(),
        512,
    );
    time(
        "deflate u16 p2 half rows",
        &c(&p2, Compression::Deflate),
        &z(&dbytes),
        bytes.len() / 2,
        256,
    );
    {
        let zz = z(&dbytes);
        let mut best = f64::MAX;
        let mut d = libdeflater::Decompressor::new();
        for _ in 0..40 {
            let t = Instant::now();
            let mut o = vec![0u8; bytes.len()];
            d.zlib_decompress(&zz, &mut o).unwrap();
            std::hint::black_box(&o);
            best = best.min(t.elapsed().as_secs_f64());
        }
        println!("   bare libdeflate p2 {:.0} us", best * 1e6);
    }
    {
        let zz = lzw(&dbytes);
        let mut best = f64::MAX;
        for _ in 0..20 {
            let t = Instant::now();
            let o = weezl::decode::Decoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8)
                .decode(&zz)
                .unwrap();
            std::hint::black_box(&o);
            best = best.min(t.elapsed().as_secs_f64());
        }
        println!("   bare weezl p2 {:.0} us", best * 1e6);
    }
    time(
        "lzw u16",
        &c(&base, Compression::Lzw),
        &lzw(&bytes),
        bytes.len(),
        512,
    );
    time(
        "lzw u16 p2",
        &c(&p2, Compression::Lzw),
        &lzw(&dbytes),
        bytes.len(),
        512,
    );
    time(
        "lzw u16 p2 be",
        &BlockFormat {
            byte_order: ByteOrder::Big,
            ..c(&p2, Compression::Lzw)
        },
        &lzw(&dbytes),
        bytes.len(),
        512,
    );
    let zs = zstd::bulk::compress(&dbytes, 9).unwrap();
    time("zstd u16 p2", &c(&p2, Compression::Zstd), &zs, bytes.len(), 512);
    time(
        "zstd u16 p2 half rows",
        &c(&p2, Compression::Zstd),
        &zs,
        bytes.len() / 2,
        256,
    );
    // u8x3
    let rgb: Vec<u8> = v
        .iter()
        .flat_map(|v| [(v >> 5) as u8, (v >> 6) as u8, (v >> 4) as u8])
        .collect();
    let mut drgb = rgb.clone();
    for row in drgb.chunks_mut(1536) {
        for i in (3..1536).rev() {
            row[i] = row[i].wrapping_sub(row[i - 3]);
        }
    }
    let b3 = BlockFormat {
        bits: 8,
        samples_per_pixel: 3,
        predictor: Predictor::Horizontal,
        ..base.clone()
    };
    time(
        "deflate u8x3 p2",
        &c(&b3, Compression::Deflate),
        &z(&drgb),
        rgb.len(),
        512,
    );
    {
        let zz = z(&drgb);
        let mut best = f64::MAX;
        let mut d = libdeflater::Decompressor::new();
        for _ in 0..40 {
            let t = Instant::now();
            let mut o = vec![0u8; rgb.len()];
            d.zlib_decompress(&zz, &mut o).unwrap();
            std::hint::black_box(&o);
            best = best.min(t.elapsed().as_secs_f64());
        }
        println!("   bare libdeflate {:.0} us", best * 1e6);
    }
    time(
        "lzw u8x3 p2",
        &c(&b3, Compression::Lzw),
        &lzw(&drgb),
        rgb.len(),
        512,
    );
    // f32 p3
    let f: Vec<f32> = noise(n, true)
        .iter()
        .enumerate()
        .map(|(i, v)| *v as f32 / 7.3 + (i % 17) as f32 * 0.001)
        .collect();
    let mut planes = Vec::new();
    for row in f.chunks(512) {
        let mut p = vec![0u8; 2048];
        for (i, v) in row.iter().enumerate() {
            for (k, b) in v.to_be_bytes().iter().enumerate() {
                p[k * 512 + i] = *b;
            }
        }
        for i in (1..2048).rev() {
            p[i] = p[i].wrapping_sub(p[i - 1]);
        }
        planes.extend(p);
    }
    let f3 = BlockFormat {
        kind: SampleKind::Float,
        bits: 32,
        predictor: Predictor::FloatingPoint,
        ..base.clone()
    };
    time(
        "deflate f32 p3",
        &c(&f3, Compression::Deflate),
        &z(&planes),
        planes.len(),
        512,
    );
    {
        let zz = z(&planes);
        let mut best = f64::MAX;
        let mut d = libdeflater::Decompressor::new();
        for _ in 0..40 {
            let t = Instant::now();
            let mut o = vec![0u8; planes.len()];
            d.zlib_decompress(&zz, &mut o).unwrap();
            std::hint::black_box(&o);
            best = best.min(t.elapsed().as_secs_f64());
        }
        println!("   bare libdeflate p3 {:.0} us", best * 1e6);
    }
    {
        let zz = zstd::bulk::compress(&planes, 9).unwrap();
        time("zstd f32 p3", &c(&f3, Compression::Zstd), &zz, planes.len(), 512);
        let mut best = f64::MAX;
        let mut d = zstd::bulk::Decompressor::new().unwrap();
        for _ in 0..40 {
            let t = Instant::now();
            let mut o = vec![0u8; planes.len()];
            d.decompress_to_buffer(&zz, &mut o[..]).unwrap();
            std::hint::black_box(&o);
            best = best.min(t.elapsed().as_secs_f64());
        }
        println!("   bare zstd {:.0} us", best * 1e6);
    }
    // jpeg
    let img = turbojpeg::Image {
        pixels: rgb.as_slice(),
        width: 512,
        pitch: 1536,
        height: 512,
        format: turbojpeg::PixelFormat::RGB,
    };
    let j = turbojpeg::compress(img, 85, turbojpeg::Subsamp::Sub2x2).unwrap();
    let jf = BlockFormat {
        compression: Compression::Jpeg,
        photometric: Photometric::YCbCr,
        ..b3.clone()
    };
    time("jpeg 420", &jf, &j, rgb.len(), 512);
    time("jpeg 420 half", &jf, &j, rgb.len() / 2, 256);
    let bits: Vec<u8> = (0..512 * 64).map(|i| (i * 37 % 251) as u8).collect();
    time(
        "1 bit",
        &BlockFormat {
            bits: 1,
            ..base.clone()
        },
        &bits,
        n,
        512,
    );
    let f16 = BlockFormat {
        kind: SampleKind::Float,
        bits: 16,
        ..base.clone()
    };
    time("f16", &f16, &bytes, n * 4, 512);
}
