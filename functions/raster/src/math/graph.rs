//! An expression as a graph: each distinct subexpression once, constants folded.

use std::collections::HashMap;

use super::lane::Lane;
use super::operation::{Binary, Unary};
use crate::samples::DataType;

/// A node's place in its graph. Operands stand before the operations that use them.
pub(super) type Id = usize;

/// A subexpression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// An input band, counted from 0.
    Band(usize),
    /// A number, as the bits of an `f64`.
    Constant(u64),
    /// An operation on one node.
    Unary(Unary, Id),
    /// An operation on two.
    Binary(Binary, Id, Id),
    /// The second where the first is not 0, else the third.
    Where(Id, Id, Id),
}

/// The nodes of an expression.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    ids: HashMap<Node, Id>,
}

impl Graph {
    /// All nodes, operands first.
    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node at a place.
    pub(super) fn node(&self, id: Id) -> Node {
        self.nodes[id]
    }

    /// An input band.
    pub(super) fn band(&mut self, band: usize) -> Id {
        self.add(Node::Band(band))
    }

    /// A number.
    pub(super) fn constant(&mut self, value: f64) -> Id {
        self.add(Node::Constant(value.to_bits()))
    }

    /// An operation on one node. `~` of a truth value is its opposite.
    pub(super) fn unary(&mut self, operation: Unary, a: Id) -> Id {
        let operation = if operation == Unary::Invert && self.is_test(a) {
            Unary::Not
        } else {
            operation
        };
        match self.value(a) {
            Some(a) => self.constant(f64::unary(operation)(a)),
            None => self.add(Node::Unary(operation, a)),
        }
    }

    /// An operation on two nodes.
    pub(super) fn binary(&mut self, operation: Binary, a: Id, b: Id) -> Id {
        if let (Some(a), Some(b)) = (self.value(a), self.value(b)) {
            return self.constant(f64::binary(operation)(a, b));
        }
        match (operation, self.node(a), self.node(b), self.value(b)) {
            (Binary::Div, Node::Binary(Binary::Sub, p, q), Node::Binary(Binary::Add, r, s), _)
                if (p, q) == (r, s) || (p, q) == (s, r) =>
            {
                self.add(Node::Binary(Binary::NormalizedDifference, p, q))
            }
            (Binary::Pow, .., Some(1.0)) => a,
            (Binary::Pow, .., Some(2.0)) => self.binary(Binary::Mul, a, a),
            (Binary::Pow, .., Some(3.0)) => {
                let square = self.binary(Binary::Mul, a, a);
                self.binary(Binary::Mul, square, a)
            }
            _ => self.add(Node::Binary(operation, a, b)),
        }
    }

    /// A choice.
    pub(super) fn choose(&mut self, condition: Id, then: Id, otherwise: Id) -> Id {
        match self.value(condition) {
            Some(0.0) => otherwise,
            Some(_) => then,
            None => self.add(Node::Where(condition, then, otherwise)),
        }
    }

    /// Whether integers could exceed what `f32` holds exactly (2^24), or powers its range, given the bands' type.
    ///
    /// A bound of each node's magnitude decides. For `f32` bands it assumes a million: data beyond that is data in
    /// which `f32` itself was a choice.
    pub(super) fn needs_f64(&self, bands: DataType) -> bool {
        let band = match bands {
            DataType::U8 | DataType::I8 => Bound {
                magnitude: 255.0,
                integer: true,
            },
            DataType::U16 | DataType::I16 => Bound {
                magnitude: 65535.0,
                integer: true,
            },
            DataType::F32 => Bound {
                magnitude: 1e6,
                integer: false,
            },
            _ => return true,
        };
        let mut bounds: Vec<Bound> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let bound = match *node {
                Node::Band(_) => band,
                Node::Constant(bits) => Bound::of(f64::from_bits(bits)),
                Node::Unary(operation, a) => bounds[a].unary(operation),
                Node::Binary(operation, a, b) => bounds[a].binary(operation, bounds[b]),
                Node::Where(_, then, otherwise) => bounds[then].either(bounds[otherwise]),
            };
            bounds.push(bound);
        }
        bounds.iter().any(Bound::is_wide)
    }

    fn add(&mut self, node: Node) -> Id {
        *self.ids.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        })
    }

    fn value(&self, id: Id) -> Option<f64> {
        match self.nodes[id] {
            Node::Constant(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// Whether a node is true (1) or false (0) and nothing else.
    fn is_test(&self, id: Id) -> bool {
        match self.nodes[id] {
            Node::Unary(operation, _) => operation.is_test(),
            Node::Binary(Binary::And | Binary::Or | Binary::Xor, a, b) => self.is_test(a) && self.is_test(b),
            Node::Binary(operation, ..) => operation.is_comparison(),
            _ => false,
        }
    }
}

/// How large a node's values can be, and whether they are whole.
#[derive(Clone, Copy)]
struct Bound {
    magnitude: f64,
    integer: bool,
}

impl Bound {
    const TEST: Self = Self {
        magnitude: 1.0,
        integer: true,
    };

    fn of(value: f64) -> Self {
        Self {
            magnitude: value.abs(),
            integer: value.fract() == 0.0,
        }
    }

    fn is_wide(&self) -> bool {
        let limit = if self.integer { 16_777_216.0 } else { 1e30 };
        self.magnitude > limit || self.magnitude.is_nan()
    }

    fn either(self, other: Self) -> Self {
        Self {
            magnitude: self.magnitude.max(other.magnitude),
            integer: self.integer && other.integer,
        }
    }

    fn unary(self, operation: Unary) -> Self {
        match operation {
            _ if operation.is_test() => Self::TEST,
            Unary::Negate | Unary::Abs | Unary::Floor | Unary::Ceil | Unary::Round | Unary::Trunc => self,
            Unary::Sign => Self::TEST,
            Unary::Invert => Self {
                magnitude: self.magnitude + 1.0,
                integer: true,
            },
            Unary::Exp | Unary::Expm1 | Unary::Sinh | Unary::Cosh => Self {
                magnitude: self.magnitude.exp(),
                integer: false,
            },
            _ => Self {
                magnitude: self.magnitude,
                integer: false,
            },
        }
    }

    fn binary(self, operation: Binary, other: Self) -> Self {
        let both = self.either(other);
        let magnitude = match operation {
            _ if operation.is_comparison() => return Self::TEST,
            Binary::Add | Binary::Sub | Binary::Or | Binary::Xor => self.magnitude + other.magnitude,
            Binary::Mul => self.magnitude * other.magnitude,
            Binary::Pow => self.magnitude.max(1.0).powf(other.magnitude),
            Binary::ShiftLeft => self.magnitude * other.magnitude.exp2(),
            _ => both.magnitude,
        };
        let fraction = matches!(
            operation,
            Binary::Div | Binary::Pow | Binary::Arctan2 | Binary::Hypot | Binary::NormalizedDifference
        );
        Self {
            magnitude,
            integer: both.integer && !fraction,
        }
    }
}
