//! The operations that expressions are made of, with the names that their writers use.

/// An operation on one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Unary {
    Negate,
    Not,
    Invert,
    Abs,
    Sqrt,
    Log,
    Log10,
    Log1p,
    Log2,
    Exp,
    Expm1,
    Floor,
    Ceil,
    Round,
    Trunc,
    Sign,
    IsNan,
    IsInf,
    IsFinite,
    SignBit,
    Sin,
    Cos,
    Tan,
    Arcsin,
    Arccos,
    Arctan,
    Sinh,
    Cosh,
    Tanh,
    Arcsinh,
    Arccosh,
    Arctanh,
}

/// An operation on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    FloorDiv,
    Mod,
    Pow,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    Minimum,
    Maximum,
    Arctan2,
    Copysign,
    Fmod,
    Hypot,
    /// `(a - b) / (a + b)`, the form of most indices, in one pass.
    NormalizedDifference,
}

/// What a name in front of a bracket calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    /// One argument.
    One(Unary),
    /// Two arguments.
    Two(Binary),
    /// Two or more, taken pairwise from the left.
    Many(Binary),
    /// `where(condition, then, otherwise)`.
    Where,
}

/// Every function, in the order of numexpr's manual.
pub(super) const FUNCTIONS: [(&str, Function); 39] = [
    ("where", Function::Where),
    ("min", Function::Many(Binary::Minimum)),
    ("max", Function::Many(Binary::Maximum)),
    ("minimum", Function::Many(Binary::Minimum)),
    ("maximum", Function::Many(Binary::Maximum)),
    ("abs", Function::One(Unary::Abs)),
    ("sqrt", Function::One(Unary::Sqrt)),
    ("pow", Function::Two(Binary::Pow)),
    ("log", Function::One(Unary::Log)),
    ("log10", Function::One(Unary::Log10)),
    ("log1p", Function::One(Unary::Log1p)),
    ("log2", Function::One(Unary::Log2)),
    ("exp", Function::One(Unary::Exp)),
    ("expm1", Function::One(Unary::Expm1)),
    ("floor", Function::One(Unary::Floor)),
    ("ceil", Function::One(Unary::Ceil)),
    ("round", Function::One(Unary::Round)),
    ("trunc", Function::One(Unary::Trunc)),
    ("sign", Function::One(Unary::Sign)),
    ("copysign", Function::Two(Binary::Copysign)),
    ("fmod", Function::Two(Binary::Fmod)),
    ("hypot", Function::Two(Binary::Hypot)),
    ("isnan", Function::One(Unary::IsNan)),
    ("isinf", Function::One(Unary::IsInf)),
    ("isfinite", Function::One(Unary::IsFinite)),
    ("signbit", Function::One(Unary::SignBit)),
    ("sin", Function::One(Unary::Sin)),
    ("cos", Function::One(Unary::Cos)),
    ("tan", Function::One(Unary::Tan)),
    ("arcsin", Function::One(Unary::Arcsin)),
    ("arccos", Function::One(Unary::Arccos)),
    ("arctan", Function::One(Unary::Arctan)),
    ("arctan2", Function::Two(Binary::Arctan2)),
    ("sinh", Function::One(Unary::Sinh)),
    ("cosh", Function::One(Unary::Cosh)),
    ("tanh", Function::One(Unary::Tanh)),
    ("arcsinh", Function::One(Unary::Arcsinh)),
    ("arccosh", Function::One(Unary::Arccosh)),
    ("arctanh", Function::One(Unary::Arctanh)),
];

/// The binary operators, loosest first: those of one line bind alike, from the left.
/// `**` stands apart (it binds from the right, tighter than a sign).
pub(super) const LEVELS: [&[(&str, Binary)]; 7] = [
    &[
        ("<", Binary::Less),
        ("<=", Binary::LessEqual),
        (">", Binary::Greater),
        (">=", Binary::GreaterEqual),
        ("==", Binary::Equal),
        ("!=", Binary::NotEqual),
    ],
    &[("|", Binary::Or)],
    &[("^", Binary::Xor)],
    &[("&", Binary::And)],
    &[("<<", Binary::ShiftLeft), (">>", Binary::ShiftRight)],
    &[("+", Binary::Add), ("-", Binary::Sub)],
    &[
        ("*", Binary::Mul),
        ("/", Binary::Div),
        ("//", Binary::FloorDiv),
        ("%", Binary::Mod),
    ],
];

impl Unary {
    /// Whether the result is true or false.
    pub(super) fn is_test(self) -> bool {
        matches!(
            self,
            Self::Not | Self::IsNan | Self::IsInf | Self::IsFinite | Self::SignBit
        )
    }
}

impl Binary {
    /// Whether the result is true or false.
    pub(super) fn is_comparison(self) -> bool {
        use Binary::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        matches!(self, Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual)
    }
}
