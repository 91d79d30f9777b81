//! Parameters of tensor maps.

use pyo3::{PyResult, exceptions::PyValueError, pyclass, pymethods};
use tensor_map::{
    DataType, Dims, Interleave, L2Promotion, OobFill, Params, Swizzle, Target, Tensor, Tiled,
};
use tma_launch::suggestion;

/// The address for which rules are checked. Buffers begin at multiples of more than any rule requires.
const ADDRESS: u64 = 0x7f00_0000_0000;

/// The parameters of a tiled tensor map, innermost first, which break no rule of an H100.
#[pyclass(frozen, module = "tma_emulator._native")]
pub(crate) struct Map {
    pub(crate) params: Params,
}

#[pymethods]
impl Map {
    /// `options` are `interleave`, `swizzle`, `l2_promotion` and `oob_fill` by their names.
    #[new]
    fn new(
        data_type: &str,
        dims: Vec<u64>,
        strides_bytes: Vec<u64>,
        box_dims: Vec<u32>,
        element_strides: Option<Vec<u32>>,
        options: [String; 4],
    ) -> PyResult<Self> {
        let data_type = choice("data_type", data_type, &DataType::ALL, DataType::name)?;
        let [interleave, swizzle, l2_promotion, oob_fill] = &options;
        let mut tensor = Tensor::packed(data_type, Dims::<u64>::new(&dims));
        tensor.strides_bytes = Dims::<u64>::new(&strides_bytes);
        if let Some(strides) = element_strides {
            tensor.element_strides = Dims::<u32>::new(&strides);
        }
        tensor.interleave = choice("interleave", interleave, &Interleave::ALL, Interleave::name)?;
        tensor.swizzle = choice("swizzle", swizzle, &Swizzle::ALL, Swizzle::name)?;
        tensor.l2_promotion = choice(
            "l2_promotion",
            l2_promotion,
            &L2Promotion::ALL,
            L2Promotion::name,
        )?;
        tensor.oob_fill = choice("oob_fill", oob_fill, &OobFill::ALL, OobFill::name)?;
        let tiled = Tiled::new(data_type, &dims).box_dims(&box_dims);
        Ok(Self {
            params: Tiled { tensor, ..tiled }.params(),
        })
    }

    /// Raises `ValueError` with every rule broken by a map of a tensor that begins at this offset into an
    /// allocation.
    fn check(&self, offset_bytes: u64) -> PyResult<()> {
        let map = self
            .params
            .build_for(ADDRESS.wrapping_add(offset_bytes), Target::SM_90);
        map.map(drop)
            .map_err(|refused| PyValueError::new_err(refused.to_string()))
    }

    /// Bytes that one load of the box delivers to its barrier.
    #[getter]
    fn box_bytes(&self) -> u64 {
        self.params.box_bytes()
    }
}

/// The one of this name.
fn choice<T: Copy>(
    parameter: &str,
    given: &str,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> PyResult<T> {
    let found = all.iter().copied().find(|one| name(*one) == given);
    found.ok_or_else(|| {
        let hint = suggestion(given, all.iter().map(|one| name(*one)));
        PyValueError::new_err(format!("{parameter} = {given:?} is unknown: {hint}"))
    })
}
