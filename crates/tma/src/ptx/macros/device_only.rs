/// The body of every device function on other targets.
///
/// # Panics
/// Always.
#[cold]
#[track_caller]
pub fn device_only(name: &str) -> ! {
    panic!("`{name}` runs on the GPU only")
}
