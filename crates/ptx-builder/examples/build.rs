//! Builds a GPU crate from the command line: `build CRATE [ARCH …]`.

use ptx_builder::{Arch, PtxBuilder};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let crate_dir = arguments.next().ok_or("usage: build CRATE [ARCH …]")?;
    for arch in arguments {
        let ptx = PtxBuilder::new(std::env::current_dir()?.join(&crate_dir)).arch(arch.parse::<Arch>()?).build()?;
        println!("{}", ptx.path.display());
        for (kernel, resources) in ptx.resources.iter().flatten() {
            println!("{kernel}: {resources:?}");
        }
    }
    Ok(())
}
