use edgetile_raster::decode::*;
use edgetile_raster::with_samples;
fn main() {
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let f: std::collections::HashMap<&str, &str> =
            line.split('\t').filter_map(|kv| kv.split_once('=')).collect();
        let n = |k: &str| f.get(k).map_or(0u64, |v| v.parse::<u64>().unwrap());
        let read = |k: &str| f.get(k).map(|p| std::fs::read(p).unwrap());
        let format = BlockFormat {
            compression: Compression::from_tag(n("compression") as u16),
            predictor: Predictor::from_tag(n("predictor") as u16).unwrap(),
            byte_order: if n("big") == 1 {
                ByteOrder::Big
            } else {
                ByteOrder::Little
            },
            fill_order_lsb_first: n("fill") == 2,
            photometric: Photometric::from_tag(n("photometric") as u16),
            kind: match n("kind") {
                2 => SampleKind::Int,
                3 => SampleKind::Float,
                5 => SampleKind::ComplexInt,
                6 => SampleKind::ComplexFloat,
                _ => SampleKind::Uint,
            },
            bits: n("bits") as u16,
            samples_per_pixel: n("spp") as u16,
            width_px: n("w") as u32,
            height_px: n("h") as u32,
            jpeg_tables: read("tables").map(Into::into),
            ycbcr_subsampling: (n("ssx") as u16, n("ssy") as u16),
            lerc_additional: n("lerc") as u32,
            t4_options: n("t4") as u32,
            t6_options: n("t6") as u32,
        };
        let bytes = read("block").unwrap();
        match decode(&format, &bytes, n("rows") as u32, n("need") as u32) {
            Err(e) => println!("ERR {e}"),
            Ok(d) => {
                let raw: Vec<u8> = with_samples!(&d.samples, v => bytemuck::cast_slice(v).to_vec());
                std::fs::write(f["out"], raw).unwrap();
                if let Some(m) = &d.mask {
                    std::fs::write(format!("{}.mask", f["out"]), m).unwrap();
                }
                println!(
                    "OK {} {} {}",
                    d.samples.data_type().name(),
                    d.rows,
                    d.mask.is_some()
                );
            }
        }
    }
}
