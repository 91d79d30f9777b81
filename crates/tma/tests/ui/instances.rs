use tma::kernel;

#[kernel(instances(M = 1))]
pub unsafe fn other_name<const N: u32>() {}

#[kernel(instances(N))]
pub unsafe fn no_list<const N: u32>() {}

#[kernel(instances(N = ))]
pub unsafe fn no_values<const N: u32>() {}

#[kernel(instances(N = 1, 2, 1))]
pub unsafe fn same_value<const N: u32>() {}

#[kernel(instances(T = f32, f32))]
pub unsafe fn same_type<T>() {}

#[kernel(instances(T = f32))]
pub unsafe fn one_missing<T, const FLAG: bool>() {}

#[kernel(instances(FLAG = true; T = f32))]
pub unsafe fn other_order<T, const FLAG: bool>() {}

#[kernel(instances(N = 1; T = f32))]
pub unsafe fn one_more<const N: u32>() {}

#[kernel(instances(N = f32))]
pub unsafe fn type_for_a_constant<const N: u32>() {}

#[kernel(instances(T = 1))]
pub unsafe fn number_for_a_type<T>() {}

#[kernel(instances(N = 1.5))]
pub unsafe fn no_integer<const N: u32>() {}

fn main() {}
