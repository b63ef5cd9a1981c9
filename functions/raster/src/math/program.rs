//! A graph as steps over a small file of registers.

use super::graph::{Graph, Id, Node};

/// A register: first the bands, then the constants, then those that steps write and reuse.
pub(super) type Register = usize;

/// One pass over a block: `into` ← operation of registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The operation, with registers for operands.
    pub(super) node: Node,
    /// Where the result goes.
    pub(super) into: Register,
}

/// What to do with each block of pixels.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// How many bands are loaded, into the first registers.
    pub(super) bands: usize,
    /// The values of the registers that follow.
    pub(super) constants: Vec<f64>,
    /// How many registers there are in all.
    pub(super) registers: usize,
    /// The steps, in order.
    pub(super) steps: Vec<Step>,
    /// The register of each output, once all steps are done.
    pub(super) outputs: Vec<Register>,
}

impl Program {
    /// Gives every node a register. A register is free again after the last step that reads it, except an output's.
    pub(super) fn compile(graph: &Graph, outputs: &[Id]) -> Self {
        let nodes = graph.nodes();
        let needed = needed(nodes, outputs);
        let last_use = last_uses(nodes, outputs, &needed);
        let bands = nodes.iter().filter(|node| matches!(node, Node::Band(_))).count();
        let mut program = Self {
            bands,
            constants: Vec::new(),
            registers: 0,
            steps: Vec::new(),
            outputs: Vec::new(),
        };
        let mut place: Vec<Register> = vec![0; nodes.len()];
        for (id, node) in nodes.iter().enumerate().filter(|(id, _)| needed[*id]) {
            match *node {
                Node::Band(band) => place[id] = band,
                Node::Constant(bits) => {
                    place[id] = bands + program.constants.len();
                    program.constants.push(f64::from_bits(bits));
                }
                _ => {}
            }
        }
        program.registers = bands + program.constants.len();
        let mut free: Vec<Register> = Vec::new();
        for (id, node) in nodes.iter().enumerate().filter(|(id, _)| needed[*id]) {
            if is_leaf(node) {
                continue;
            }
            place[id] = free.pop().unwrap_or_else(|| {
                program.registers += 1;
                program.registers - 1
            });
            program.steps.push(Step {
                node: renamed(node, &place),
                into: place[id],
            });
            let done = |&operand: &Id| last_use[operand] == id && !is_leaf(&nodes[operand]);
            free.extend(
                operands(node)
                    .into_iter()
                    .filter(done)
                    .map(|operand| place[operand]),
            );
            free.sort_unstable();
            free.dedup();
        }
        program.outputs = outputs.iter().map(|&id| place[id]).collect();
        program
    }
}

/// Whether a node is loaded rather than computed.
fn is_leaf(node: &Node) -> bool {
    matches!(node, Node::Band(_) | Node::Constant(_))
}

fn operands(node: &Node) -> Vec<Id> {
    match *node {
        Node::Band(_) | Node::Constant(_) => Vec::new(),
        Node::Unary(_, a) => vec![a],
        Node::Binary(_, a, b) => vec![a, b],
        Node::Where(a, b, c) => vec![a, b, c],
    }
}

fn renamed(node: &Node, place: &[Register]) -> Node {
    match *node {
        Node::Unary(operation, a) => Node::Unary(operation, place[a]),
        Node::Binary(operation, a, b) => Node::Binary(operation, place[a], place[b]),
        Node::Where(a, b, c) => Node::Where(place[a], place[b], place[c]),
        other => other,
    }
}

/// Which nodes an output depends on. Fusing and folding leave others behind.
fn needed(nodes: &[Node], outputs: &[Id]) -> Vec<bool> {
    let mut needed = vec![false; nodes.len()];
    for &id in outputs {
        needed[id] = true;
    }
    for id in (0..nodes.len()).rev() {
        if needed[id] {
            for operand in operands(&nodes[id]) {
                needed[operand] = true;
            }
        }
    }
    needed
}

/// The last node that reads each node; outputs are read after all.
fn last_uses(nodes: &[Node], outputs: &[Id], needed: &[bool]) -> Vec<Id> {
    let mut last = vec![0; nodes.len()];
    for (id, node) in nodes.iter().enumerate().filter(|(id, _)| needed[*id]) {
        for operand in operands(node) {
            last[operand] = id;
        }
    }
    for &id in outputs {
        last[id] = Id::MAX;
    }
    last
}
