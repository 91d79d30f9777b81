//! The product forms that a GPU of sm_90a runs.

use ptx_isa::{Op, Shape, Type, Version, mma, wgmma};

/// The threads that compute a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    /// `mma`: a warp, out of registers.
    Warp,
    /// `wgmma`: four warps.
    Warpgroup,
    /// `wmma`: a warp, out of fragments that it loads.
    Fragments,
}

/// The type of an element of A or B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    F16,
    Bf16,
    Tf32,
    E4m3,
    E5m2,
    S8,
    U8,
    S4,
    U4,
    /// 32 bits count as one.
    B1,
    F64,
}

impl Element {
    pub(super) fn bits(self) -> usize {
        match self {
            Self::F16 | Self::Bf16 => 16,
            Self::Tf32 | Self::B1 => 32,
            Self::E4m3 | Self::E5m2 | Self::S8 | Self::U8 => 8,
            Self::S4 | Self::U4 => 4,
            Self::F64 => 64,
        }
    }

    fn of(ty: Type) -> Option<Self> {
        Some(match ty {
            Type::F16 => Self::F16,
            Type::Bf16 => Self::Bf16,
            Type::Tf32 => Self::Tf32,
            Type::E4m3 => Self::E4m3,
            Type::E5m2 => Self::E5m2,
            Type::S8 => Self::S8,
            Type::U8 => Self::U8,
            Type::S4 => Self::S4,
            Type::U4 => Self::U4,
            Type::B1 => Self::B1,
            Type::F64 => Self::F64,
            _ => return None,
        })
    }
}

/// The type of an element of C or D.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sum {
    F16,
    F32,
    S32,
    F64,
}

impl Sum {
    pub(super) fn bits(self) -> usize {
        match self {
            Self::F16 => 16,
            Self::F32 | Self::S32 => 32,
            Self::F64 => 64,
        }
    }

    fn of(ty: Type) -> Option<Self> {
        Some(match ty {
            Type::F16 => Self::F16,
            Type::F32 => Self::F32,
            Type::S32 => Self::S32,
            Type::F64 => Self::F64,
            _ => return None,
        })
    }
}

/// A form, with the parts after its sums and factors.
#[derive(Clone, Debug)]
pub struct ProductForm {
    pub(super) group: Group,
    pub(super) opcode: String,
    pub(super) shape: Shape,
    pub(super) elements: [Element; 2],
    pub(super) c: Sum,
    pub(super) d: Sum,
    /// `wgmma`: whether A is in shared memory.
    pub(super) is_shared: bool,
    /// Sparse A: the lanes that have the metadata.
    pub(super) selector: Option<u32>,
    /// `wgmma`: whether A and B are negated.
    pub(super) negates: [bool; 2],
    /// `wgmma`: the numbers after the predicate.
    pub(super) immediates: String,
}

impl ProductForm {
    /// Returns the opcode, and the other parts that distinguish the form.
    pub fn name(&self) -> String {
        let mut name = self.opcode.clone();
        if let Some(selector) = self.selector {
            name += &format!(" selector {selector}");
        }
        if self.group == Group::Warpgroup {
            name += if self.is_shared {
                " A shared"
            } else {
                " A in registers"
            };
        }
        if self.negates != [false; 2] {
            let sign = |negates: bool| if negates { '-' } else { '+' };
            let [a, b] = self.negates.map(sign);
            name += &format!(" signs {a}{b}");
        }
        name
    }

    pub(super) fn has(&self, a: &str, b: &str, c: &str, d: &str) -> bool {
        self.opcode
            .split('.')
            .any(|part| [a, b, c, d].contains(&part))
    }

    /// K in elements, or in words of 32 bits.
    pub(super) fn depth(&self) -> usize {
        match self.elements[0] {
            Element::B1 => self.shape.k as usize / 32,
            _ => self.shape.k as usize,
        }
    }

    /// Returns the number of stored elements of a row of A.
    pub(super) fn kept(&self) -> usize {
        self.depth() / if self.selector.is_some() { 2 } else { 1 }
    }

    /// Results of one product, or of four.
    pub(super) fn results(&self) -> usize {
        let one = (self.shape.m * self.shape.n) as usize;
        if self.is_quads() { 4 * one } else { one }
    }

    /// Returns whether each eight lanes of the warp have a product of their own.
    pub(super) fn is_quads(&self) -> bool {
        self.shape.m == 8 && self.shape.k == 4 && self.elements[0] == Element::F16
    }
}

/// The forms of the table that an sm_90a has, and `wmma`.
pub fn all() -> Vec<ProductForm> {
    let of_table = ptx_isa::forms().flat_map(|form| of_table(&form));
    of_table.chain(fragments()).collect()
}

fn of_table(form: &ptx_isa::Form) -> Vec<ProductForm> {
    let (group, is_sparse) = match form.op() {
        Op::Mma(op @ (mma::Op::Dense | mma::Op::Sparse)) => (Group::Warp, op == mma::Op::Sparse),
        Op::Wgmma(op @ (wgmma::Op::Dense | wgmma::Op::Sparse)) => {
            (Group::Warpgroup, op == wgmma::Op::Sparse)
        }
        _ => return Vec::new(),
    };
    let is_there = form.targets().has("sm_90a") && form.isa() <= Version::new(9, 0);
    let types: Vec<Type> = form.types().collect();
    let (Some(shape), [d, a, b, ..], true) = (form.shape(), &types[..], is_there) else {
        return Vec::new();
    };
    let c = types.get(3).unwrap_or(d);
    let (Some(a), Some(b), Some(c), Some(d)) =
        (Element::of(*a), Element::of(*b), Sum::of(*c), Sum::of(*d))
    else {
        return Vec::new();
    };
    let immediates = form
        .operands()
        .rsplit_once(", p")
        .map_or("", |(_, rest)| rest);
    let plain = ProductForm {
        group,
        opcode: form.opcode().to_owned(),
        shape,
        elements: [a, b],
        c,
        d,
        is_shared: group == Group::Warpgroup && !form.operands().contains("}, {"),
        selector: None,
        negates: [false; 2],
        immediates: immediates.to_owned(),
    };
    let selectors = match (is_sparse, a.bits() * shape.k as usize) {
        (false, _) => vec![None],
        (true, 256) if a.bits() > 8 => (0..4).map(Some).collect(),
        (true, 512) if a.bits() == 8 => vec![Some(0)],
        (true, 512) if a.bits() == 4 => vec![Some(0)],
        (true, _) => vec![Some(0), Some(1)],
    };
    let selected = selectors.into_iter().map(|selector| ProductForm {
        selector,
        ..plain.clone()
    });
    // The signs of wide products equal those of narrow ones.
    let signs = match immediates.contains("1, 1") && shape.n == 8 {
        true => &[[false; 2], [true, false], [false, true], [true; 2]][..],
        false => &[[false; 2]],
    };
    let signed = selected.flat_map(|form| {
        signs.iter().map(move |negates| ProductForm {
            negates: *negates,
            ..form.clone()
        })
    });
    signed.collect()
}

/// Returns the forms of `wmma`, which the table lacks.
fn fragments() -> Vec<ProductForm> {
    let form = |shape: &str, suffix: &str, element, c, d| ProductForm {
        group: Group::Fragments,
        opcode: format!("wmma.mma.sync.aligned.row.col.{shape}.{suffix}"),
        shape: Shape::of(shape).expect("a shape"),
        elements: [element; 2],
        c,
        d,
        is_shared: false,
        selector: None,
        negates: [false; 2],
        immediates: String::new(),
    };
    let mut forms = Vec::new();
    for shape in ["m16n16k16", "m32n8k16", "m8n32k16"] {
        let float = |ty: &str| if ty == "f32" { Sum::F32 } else { Sum::F16 };
        for (d, c) in [
            ("f32", "f32"),
            ("f32", "f16"),
            ("f16", "f32"),
            ("f16", "f16"),
        ] {
            let suffix = format!("{d}.{c}");
            forms.push(form(shape, &suffix, Element::F16, float(c), float(d)));
        }
        let suffix = "f32.bf16.bf16.f32";
        forms.push(form(shape, suffix, Element::Bf16, Sum::F32, Sum::F32));
        for (ty, element) in [("s8", Element::S8), ("u8", Element::U8)] {
            for end in ["", ".satfinite"] {
                let suffix = format!("s32.{ty}.{ty}.s32{end}");
                forms.push(form(shape, &suffix, element, Sum::S32, Sum::S32));
            }
        }
    }
    let tf32 = "f32.tf32.tf32.f32";
    forms.push(form("m16n16k8", tf32, Element::Tf32, Sum::F32, Sum::F32));
    let double = "f64.f64.f64.f64";
    forms.push(form("m8n8k4", double, Element::F64, Sum::F64, Sum::F64));
    forms
}
