//! NVIDIA's compiler library, which makes PTX of LLVM IR. "libNVVM API" and "NVVM IR Specification" describe it.

mod ir;

pub(crate) use ir::virtual_arch;

use std::{
    env,
    error::Error as _,
    ffi::{CStr, CString, c_char, c_int, c_void},
    path::{Path, PathBuf},
    ptr::null_mut,
};

use libloading::{Library, Symbol};

use crate::{Arch, DeviceCompiler, Error, user_cache};

/// The compiler library, loaded.
pub struct LibNvvm {
    path: PathBuf,
    library: Library,
}

/// `nvvmProgram`
type Program = *mut c_void;
/// A function that returns a size, such as `nvvmGetProgramLogSize`.
type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
/// A function that writes that number of bytes, such as `nvvmGetProgramLog`.
type Text = unsafe extern "C" fn(Program, *mut c_char) -> c_int;

impl LibNvvm {
    /// The environment variable that names the library to load.
    pub const VARIABLE: &str = "TMA_LIBNVVM";

    /// Loads the one that `TMA_LIBNVVM` names, or else the first that reads the IR of this compiler, in what
    /// `cargo xtask setup --cuda` installs, in `CUDA_PATH` and in `/usr/local/cuda`.
    ///
    /// # Errors
    /// [`Error::NoLibNvvm`], which lists the libraries that were tried and why each was refused.
    pub fn find_for(compiler: &DeviceCompiler) -> Result<Self, Error> {
        let needed = compiler.llvm_major();
        let mut looked_at = Vec::new();
        for path in candidates() {
            match Self::load(&path).and_then(|library| library.reads(needed).map(|()| library)) {
                Ok(library) => return Ok(library),
                Err(reason) => looked_at.push(format!("  {}: {reason}", path.display())),
            }
        }
        if looked_at.is_empty() {
            looked_at.push("  none: no such library exists".to_owned());
        }
        Err(Error::NoLibNvvm {
            llvm: needed,
            looked_at: looked_at.join("\n"),
        })
    }

    /// Returns the path of the library.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn load(path: &Path) -> Result<Self, String> {
        // SAFETY: its initialisers are those of NVIDIA's library, which any thread may load, or of the one that
        // the process's environment names in its place.
        let library = unsafe { Library::new(path) };
        // The dynamic loader's own words, where there are any.
        let library = library.map_err(|error| match error.source() {
            Some(words) => words.to_string(),
            None => error.to_string(),
        })?;
        Ok(Self {
            path: path.to_owned(),
            library,
        })
    }

    /// Compares the LLVM of its newer dialect with that of a compiler.
    fn reads(&self, needed: u32) -> Result<(), String> {
        type Version = unsafe extern "C" fn(*const c_char, *mut c_int) -> c_int;
        let Ok(llvm_version) = self.function::<Version>("nvvmLLVMVersion") else {
            return Err("older than 13.0".to_owned());
        };
        let mut version = 0;
        // SAFETY: the name ends with a zero, and the number is written.
        let status = unsafe { llvm_version(c"compute_100".as_ptr(), &mut version) };
        match u32::try_from(version) {
            Ok(version) if status == 0 && version >= needed => Ok(()),
            _ => Err(format!(
                "reads the IR of LLVM {version}, and LLVM {needed} wrote it"
            )),
        }
    }

    /// Compiles a module that rustc's LLVM wrote.
    ///
    /// # Errors
    /// [`Error::LibNvvm`] with the library's message.
    pub(crate) fn compile(&self, llvm_ir: &str, arch: Arch) -> Result<String, Error> {
        let refused = |log: String| Error::LibNvvm { arch, log };
        let module = ir::adapted(llvm_ir, arch);
        let arch = format!("-arch={}", ir::virtual_arch(arch));
        let arch = CString::new(arch).expect("a name has no zero");
        // In Rust a product and a sum are rounded each.
        self.compiled(&module, &[&arch, c"-fma=0"]).map_err(refused)
    }

    fn compiled(&self, module: &str, options: &[&CStr]) -> Result<String, String> {
        type Create = unsafe extern "C" fn(*mut Program) -> c_int;
        type Destroy = unsafe extern "C" fn(*mut Program) -> c_int;
        type Add = unsafe extern "C" fn(Program, *const c_char, usize, *const c_char) -> c_int;
        type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int;
        let create = self.function::<Create>("nvvmCreateProgram")?;
        let destroy = self.function::<Destroy>("nvvmDestroyProgram")?;
        let add = self.function::<Add>("nvvmAddModuleToProgram")?;
        let compile = self.function::<Compile>("nvvmCompileProgram")?;

        let mut program = null_mut();
        // SAFETY: the program is written.
        let created = unsafe { create(&mut program) };
        if created != 0 {
            return Err(format!("nvvmCreateProgram: error {created}"));
        }
        // SAFETY: the program lives, the text has that number of bytes, and the name ends with a zero.
        let added = unsafe {
            add(
                program,
                module.as_ptr().cast(),
                module.len(),
                c"module".as_ptr(),
            )
        };
        let options: Vec<_> = options.iter().map(|option| option.as_ptr()).collect();
        let count = c_int::try_from(options.len()).expect("there are two");
        let status = match added {
            // SAFETY: the program lives, `options` has that length, and each option ends with a zero.
            0 => unsafe { compile(program, count, options.as_ptr()) },
            added => added,
        };
        let text = match status {
            0 => self.text(program, "nvvmGetCompiledResult"),
            _ => self.text(program, "nvvmGetProgramLog").and_then(Err),
        };
        // SAFETY: the program lives until here.
        unsafe { destroy(&mut program) };
        text
    }

    /// A text that the library has of a program, which lives.
    fn text(&self, program: Program, name: &str) -> Result<String, String> {
        let size = self.function::<Size>(&format!("{name}Size"))?;
        let text = self.function::<Text>(name)?;
        // SAFETY: the program lives, and the number is written.
        let size = |bytes: &mut usize| unsafe { size(program, bytes) };
        // SAFETY: the program lives, and the buffer has room for the text and its zero.
        let text = |buffer: &mut [u8]| unsafe { text(program, buffer.as_mut_ptr().cast()) };
        text_of(size, text).map_err(|status| match status {
            Some(status) => format!("{name}: error {status}"),
            None => format!("{name}: not UTF-8"),
        })
    }

    /// Returns a function of the library with the type of its header.
    fn function<T>(&self, name: &str) -> Result<Symbol<'_, T>, String> {
        // SAFETY: the types here are those of `nvvm.h`, and the symbol does not outlive the library.
        unsafe { self.library.get(name) }.map_err(|error| error.to_string())
    }
}

/// A text of which `size` returns the bytes, its zero among them, and that `text` writes to a buffer of that size. The
/// error is the status of the call that failed, if one did.
fn text_of(
    size: impl FnOnce(&mut usize) -> c_int,
    text: impl FnOnce(&mut [u8]) -> c_int,
) -> Result<String, Option<c_int>> {
    let mut bytes = 0;
    let sized = size(&mut bytes);
    // Without a size, the buffer would be too small for the text.
    if sized != 0 {
        return Err(Some(sized));
    }
    let mut buffer = vec![0; bytes.max(1)];
    let written = text(&mut buffer);
    if written != 0 {
        return Err(Some(written));
    }
    let end = buffer.iter().position(|byte| *byte == 0);
    buffer.truncate(end.unwrap_or(bytes));
    String::from_utf8(buffer).map_err(|_| None)
}

fn candidates() -> Vec<PathBuf> {
    if let Some(path) = env::var_os(LibNvvm::VARIABLE) {
        return vec![path.into()];
    }
    let toolkit = env::var_os("CUDA_PATH").map(PathBuf::from);
    let toolkits = toolkit
        .into_iter()
        .chain([PathBuf::from("/usr/local/cuda")]);
    let folders = toolkits.map(|root| root.join("nvvm/lib64"));
    [nvvm_cache().join("nvidia/cu13/lib")]
        .into_iter()
        .chain(folders)
        .map(|folder| folder.join("libnvvm.so.4"))
        .filter(|path| path.is_file())
        .collect()
}

/// Returns the folder in which `cargo xtask setup --cuda` installs libNVVM, shared by all projects of a user:
/// `nvvm-13.5` in the [`user_cache`].
pub fn nvvm_cache() -> PathBuf {
    user_cache().join("nvvm-13.5")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_not_there_is_named() {
        let refused = LibNvvm::load(Path::new("/nowhere/libnvvm.so.4"));
        let reason = refused.err().expect("it is not there");
        assert!(reason.contains("/nowhere/libnvvm.so.4"), "{reason}");
    }

    #[test]
    fn no_text_is_written_where_its_size_is_not_known() {
        let sized = |size: usize| {
            move |bytes: &mut usize| {
                *bytes = size;
                0
            }
        };
        let hello = |buffer: &mut [u8]| {
            buffer.copy_from_slice(b"hello\0");
            0
        };
        assert_eq!(text_of(sized(6), hello), Ok("hello".to_owned()));
        assert_eq!(text_of(|_| 4, |_| panic!("there is no room")), Err(Some(4)));
        assert_eq!(text_of(sized(3), |_| 9), Err(Some(9)));
        let empty = |buffer: &mut [u8]| {
            buffer[0] = 0;
            0
        };
        assert_eq!(text_of(sized(0), empty), Ok(String::new()));
        let other = |buffer: &mut [u8]| {
            buffer.fill(0xff);
            0
        };
        assert_eq!(text_of(sized(2), other), Err(None));
    }
}
