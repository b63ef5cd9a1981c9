use super::*;

/// Evaluates over a row of `f64` pixels; the bands are called `a` and `b`.
fn doubles(text: &str, a: &[f64], b: &[f64]) -> Vec<f64> {
    let expression = Expression::parse(text).unwrap();
    let rows: Vec<f64> = expression
        .bands()
        .iter()
        .flat_map(|band| if band.text == "a" { a } else { b })
        .copied()
        .collect();
    let bands = expression.bands().len();
    let input = Raster {
        bands,
        height: 1,
        width: a.len(),
        samples: Samples::F64(rows),
        mask: Mask::All,
    };
    match expression.evaluate(&input).samples {
        Samples::F64(values) => values,
        other => panic!("{text}: {other:?}"),
    }
}

/// Evaluates over a row of pixels; the bands stand in the order of their first use.
fn u16s(text: &str, bands: usize, values: &[u16]) -> Raster {
    let samples = Samples::U16(values.to_vec());
    Expression::parse(text).unwrap().evaluate(&Raster {
        bands,
        height: 1,
        width: values.len() / bands,
        samples,
        mask: Mask::All,
    })
}

fn problem(text: &str) -> (usize, Problem) {
    let error = Expression::parse(text).map(|_| text).unwrap_err();
    (error.position, error.problem)
}

/// numexpr shifts high bits out: 4<<62 was 0 there, and here.
#[test]
fn shifting_left_doubles_and_loses_nothing() {
    let two62 = 62_f64.exp2();
    for (text, expected) in [
        ("a<<62", [7.0 * two62, -7.0 * two62, 200.0 * two62, 100.0 * two62]),
        ("a<<-1", [0.0; 4]),
        ("(a/2)<<1", [6.0, -6.0, 200.0, 100.0]),
    ] {
        let a = [7.0, -7.0, 200.0, 100.0];
        assert_eq!(doubles(text, &a, &a), expected, "{text}");
    }
}

/// What numexpr 2.14.2 answers for a = [7, -7, 200, 100], b = [2, 2, 100, 200] (integers where it takes them).
#[test]
fn operators_and_functions_agree_with_numexpr() {
    let a = [7.0, -7.0, 200.0, 100.0];
    let b = [2.0, 2.0, 100.0, 200.0];
    for (text, expected) in [
        ("a//b", [3.0, -4.0, 2.0, 0.0]),
        ("a%b", [1.0, 1.0, 0.0, 100.0]),
        ("fmod(a,b)", [1.0, -1.0, 0.0, 100.0]),
        ("a/b", [3.5, -3.5, 2.0, 0.5]),
        ("~a", [-8.0, 6.0, -201.0, -101.0]),
        ("~(a>b)", [0.0, 1.0, 0.0, 1.0]),
        ("~((a>b)|(a<0))", [0.0, 0.0, 0.0, 1.0]),
        ("a&b", [2.0, 0.0, 64.0, 64.0]),
        ("a|b", [7.0, -5.0, 236.0, 236.0]),
        ("a^b", [5.0, -5.0, 172.0, 172.0]),
        ("a>>1", [3.0, -4.0, 100.0, 50.0]),
        ("a<<1", [14.0, -14.0, 400.0, 200.0]),
        ("a**2", [49.0, 49.0, 40000.0, 10000.0]),
        ("-a**2", [-49.0, -49.0, -40000.0, -10000.0]),
        ("a+2**3**2", [519.0, 505.0, 712.0, 612.0]),
        ("(a>b)+1", [2.0, 1.0, 2.0, 1.0]),
        ("a & 1 == 1", [1.0, 1.0, 0.0, 0.0]),
        ("where(a>b,a,b)", [7.0, 2.0, 200.0, 200.0]),
        ("minimum(a,b)", [2.0, -7.0, 100.0, 100.0]),
        ("maximum(a,b)", [7.0, 2.0, 200.0, 200.0]),
        ("abs(a)", [7.0, 7.0, 200.0, 100.0]),
        ("sign(a)", [1.0, -1.0, 1.0, 1.0]),
        ("copysign(b,a)", [2.0, -2.0, 100.0, 200.0]),
        ("signbit(a)", [0.0, 1.0, 0.0, 0.0]),
        ("round(a/2)", [4.0, -4.0, 100.0, 50.0]),
        ("round(a/b-1)", [2.0, -4.0, 1.0, 0.0]),
        ("trunc(a/b)", [3.0, -3.0, 2.0, 0.0]),
        ("floor(a/b)", [3.0, -4.0, 2.0, 0.0]),
        ("ceil(a/b)", [4.0, -3.0, 2.0, 1.0]),
        ("a-b-1", [4.0, -10.0, 99.0, -101.0]),
        ("a/b/2", [1.75, -1.75, 1.0, 0.25]),
        ("isfinite(a)", [1.0; 4]),
        ("isnan(a)|isinf(b)", [0.0; 4]),
        ("2*-b", [-4.0, -4.0, -200.0, -400.0]),
        ("a!=7", [0.0, 1.0, 1.0, 1.0]),
        ("sqrt(a*a)", [7.0, 7.0, 200.0, 100.0]),
        ("hypot(a*0+3,4)", [5.0; 4]),
        ("log10(abs(a)*0+1000)", [3.0; 4]),
        ("arctan2(a*0,1)", [0.0; 4]),
        ("max(a,b,150)", [150.0, 150.0, 200.0, 200.0]),
        ("min(a,b,3)", [2.0, -7.0, 3.0, 3.0]),
    ] {
        assert_eq!(doubles(text, &a, &b), expected, "{text}");
    }
}

#[test]
fn integers_of_two_bytes_never_overflow() {
    assert_eq!(
        u16s("b1*b2", 2, &[60000, 60000]).samples,
        Samples::F64(vec![3.6e9])
    );
    assert_eq!(u16s("b1-b2", 2, &[100, 200]).samples, Samples::F32(vec![-100.0]));
    // 65535 * 65536 + 65535 has 32 significant bits; f32 would round it.
    assert_eq!(
        u16s("b1*65536+b2", 2, &[65535, 65535]).samples,
        Samples::F64(vec![4_294_967_295.0])
    );
    assert_eq!(u16s("b1**10", 1, &[65535]).mask, Mask::All);
}

#[test]
fn what_is_not_finite_is_masked_and_zero() {
    let ndvi = u16s("(b1-b2)/(b1+b2)", 2, &[0, 3, 0, 1]);
    assert_eq!(ndvi.samples, Samples::F32(vec![0.0, 0.5]));
    assert_eq!(ndvi.mask, Mask::Shared(vec![0, 255]));
    let both = u16s("b1/b2;log(b1-b2)", 2, &[4, 4, 2, 0]);
    assert_eq!(both.mask, Mask::PerBand(vec![255, 0, 255, 255]));
    assert_eq!(both.samples, Samples::F32(vec![2.0, 0.0, 2f32.ln(), 4f32.ln()]));
    // A division that `where` does not choose does no harm.
    assert_eq!(u16s("where(b2==0, 7, b1/b2)", 2, &[1, 0]).mask, Mask::All);
}

#[test]
fn a_mask_of_any_band_masks_the_result_and_partial_alpha_stays() {
    let expression = Expression::parse("b1+b2").unwrap();
    let samples = Samples::U8(vec![1, 2, 3, 10, 20, 30]);
    let mut input = Raster {
        bands: 2,
        height: 1,
        width: 3,
        samples,
        mask: Mask::Shared(vec![0, 128, 255]),
    };
    let sum = expression.evaluate(&input);
    assert_eq!(
        (sum.samples, sum.mask),
        (
            Samples::F32(vec![0.0, 22.0, 33.0]),
            Mask::Shared(vec![0, 128, 255])
        )
    );
    input.mask = Mask::PerBand(vec![255, 0, 255, 255, 255, 0]);
    let sum = expression.evaluate(&input);
    assert_eq!(
        (sum.samples, sum.mask),
        (Samples::F32(vec![11.0, 0.0, 0.0]), Mask::Shared(vec![255, 0, 0]))
    );
}

#[test]
fn bands_have_numbers_and_names_and_stand_in_order_of_use() {
    let expression = Expression::parse("nir + B04*b1 - nir + B8A").unwrap();
    let bands: Vec<_> = expression
        .bands()
        .iter()
        .map(|band| (band.text.as_str(), band.number))
        .collect();
    assert_eq!(
        bands,
        [("nir", None), ("B04", Some(4)), ("b1", Some(1)), ("B8A", None)]
    );
    assert_eq!(Expression::parse("b0+b").unwrap().bands()[0].number, None);
}

#[test]
fn picking_bands_keeps_their_type() {
    let picked = u16s("b3;b1;b3;", 2, &[1, 2, 3, 4]);
    assert_eq!(picked.samples, Samples::U16(vec![1, 2, 3, 4, 1, 2]));
    assert_eq!(picked.bands, 3);
}

#[test]
fn blocks_do_not_show() {
    let len = 3 * 512 + 17;
    let values: Vec<u16> = (0..2 * len as u16).collect();
    let sums: Vec<f32> = (0..len).map(|at| (at + at + len) as f32 * 2.0).collect();
    assert_eq!(
        u16s("(b1+b2)*2 + where(b1 < 0, 1, 0)", 2, &values).samples,
        Samples::F32(sums)
    );
}

#[test]
fn registers_are_reused_without_mixing() {
    let deep = "((a+1)*(b+2)-(a-b)*(a+b))/((a*b)+(a-3)*(b-4)) + max(a*2, b*3, a+b) - (a+1)*(b+2)";
    let (x, y) = (5.0f64, 7.0f64);
    let expected = ((x + 1.0) * (y + 2.0) - (x - y) * (x + y)) / ((x * y) + (x - 3.0) * (y - 4.0)) + 21.0
        - (x + 1.0) * (y + 2.0);
    assert_eq!(doubles(deep, &[x], &[y]), [expected]);
    let program = &Expression::parse(deep).unwrap().program;
    assert!(
        program.registers < program.bands + program.constants.len() + 8,
        "{}",
        program.registers
    );
}

#[test]
fn normalized_difference_is_one_step() {
    let ndvi = Expression::normalized_difference("nir", "red").unwrap();
    assert_eq!(ndvi.program.steps.len(), 1);
    assert_eq!(
        Expression::parse("(b4-b3)/(b3+b4)").unwrap().program.steps.len(),
        1
    );
    assert_eq!(
        Expression::parse("(b4-b3)/(b4-b3)").unwrap().program.steps.len(),
        2
    );
}

#[test]
fn an_unencoded_plus_is_named() {
    let error = Expression::parse("(b4-b3)/(b4 b3)").map(|_| ()).unwrap_err();
    assert_eq!(error.position, 13);
    assert!(error.to_string().contains("%2B"), "{error}");
}

#[test]
fn errors_say_where_and_what() {
    let found = |text: &str| text.to_owned();
    assert_eq!(problem(" "), (2, Problem::Empty));
    assert_eq!(problem("1+2"), (1, Problem::NoBand));
    assert_eq!(
        problem("b1+"),
        (
            4,
            Problem::Operand {
                found: found("the end")
            }
        )
    );
    assert_eq!(
        problem("(b1+b2"),
        (
            7,
            Problem::Parenthesis {
                found: found("the end")
            }
        )
    );
    assert_eq!(problem("b1)"), (3, Problem::Character(')')));
    assert_eq!(problem("b1 $ b2"), (4, Problem::Character('$')));
    assert_eq!(problem("é+b1"), (1, Problem::Character('é')));
    assert_eq!(problem("b1*2b2"), (4, Problem::Number(found("2b2"))));
    assert_eq!(problem("b1*1e999"), (4, Problem::Number(found("1e999"))));
    assert_eq!(problem("b1 && b2"), (4, Problem::Spelling(found("&&"), "&")));
    assert_eq!(problem("b1 and b2"), (4, Problem::Spelling(found("and"), "&")));
    assert_eq!(problem("b1 = b2"), (4, Problem::Spelling(found("="), "==")));
    assert_eq!(problem("1<b1<3"), (5, Problem::Chain));
    assert_eq!(problem("2*sqrt(b1,b2)").0, 3);
    assert!(matches!(problem("foo(b1)"), (1, Problem::Function { .. })));
    assert!(matches!(problem("sum(b1)"), (1, Problem::Reduction { .. })));
    assert!(matches!(
        problem("max(b1)"),
        (1, Problem::Arguments { given: 1, .. })
    ));
    assert!(matches!(problem("max(b1 b2)"), (8, Problem::Operator { .. })));
    assert!(matches!(problem("where(b1,)"), (10, Problem::Operand { .. })));
}

#[test]
fn numbers_and_functions_are_written_as_python_writes_them() {
    let value = |text: &str| doubles(text, &[26.0], &[1.0])[0];
    for (text, expected) in [
        ("a&0x1F", 26.0),
        ("(a>>0b1)&0o7", 5.0),
        ("a*1_000", 26_000.0),
        ("a+1e-1_0", 26.0 + 1e-10),
        ("WHERE(a>b,Sqrt(4),0)", 2.0),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
    for text in ["a*0x", "a*0b2", "a*1__0", "a*1_", "a*0xg", "a*1_.5"] {
        assert!(Expression::parse(text).is_err(), "{text}");
    }
}

#[test]
fn a_band_of_several_words_stands_in_quotes() {
    let expression = Expression::parse("\"Rain Rate\"*2+\"8A\"").unwrap();
    let bands: Vec<&str> = expression.bands().iter().map(|band| band.text.as_str()).collect();
    assert_eq!(bands, ["Rain Rate", "8A"]);
    assert_eq!(problem("\"Rain Rate*2").1, Problem::Quote);
    assert!(Expression::parse("b1 \"a b\"").is_err());
}

#[test]
fn the_language_is_told_as_it_is() {
    let told = include_str!("../../../../docs/expressions.md");
    for (name, _) in super::operation::FUNCTIONS {
        assert!(told.contains(&format!("`{name}`")), "{name}");
    }
    for limit in [
        super::token::MAX_TEXT,
        super::parse::MAX_DEPTH,
        super::parse::MAX_NODES,
        super::parse::MAX_BANDS,
        super::parse::MAX_OUTPUTS,
    ] {
        assert!(told.contains(&format!(" {limit} ")), "{limit}");
    }
}

#[test]
fn limits_hold() {
    assert_eq!(problem(&"b1+".repeat(2000)).1, Problem::TooLong(6000));
    let deep = |levels: usize| format!("{}b1{}", "(".repeat(levels), ")".repeat(levels));
    assert!(Expression::parse(&deep(250)).is_ok());
    let classes = |count: usize| format!("{}0{}", "where(b1>1,1,".repeat(count), ")".repeat(count));
    assert!(Expression::parse(&classes(100)).is_ok());
    assert_eq!(problem(&deep(1000)).1, Problem::TooDeep);
    assert_eq!(problem(&format!("{}b1", "-".repeat(1000))).1, Problem::TooDeep);
    assert_eq!(problem(&format!("b1{}", "**b1".repeat(1000))).1, Problem::TooDeep);
    let many: Vec<String> = (0..700).map(|number| format!("b1+{number}")).collect();
    assert_eq!(problem(&many.join("*")[..4096]).1, Problem::TooMany);
    let bands: Vec<String> = (1..=65).map(|number| format!("b{number}")).collect();
    assert_eq!(problem(&bands.join("+")).1, Problem::TooManyBands);
    assert_eq!(problem(&"b1;".repeat(70)).1, Problem::TooManyOutputs);
}
