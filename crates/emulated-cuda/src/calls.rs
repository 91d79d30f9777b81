//! The calls of a program: the one context of the process, and the last error of each thread.

use std::{
    cell::Cell,
    sync::{Mutex, Once, PoisonError},
};

use crate::{code::Code, context::Context};

pub(crate) type Result<T = ()> = std::result::Result<T, Code>;

static CONTEXT: Mutex<Option<Context>> = Mutex::new(None);

thread_local! {
    static LAST_ERROR: Cell<Code> = const { Cell::new(Code::SUCCESS) };
}

/// Does something with the context, also where a kernel has ended it.
pub(crate) fn with<T>(work: impl FnOnce(&mut Context) -> Result<T>) -> Result<T> {
    let mut context = CONTEXT.lock().unwrap_or_else(PoisonError::into_inner);
    work(context.get_or_insert_with(Context::open))
}

/// Does something with the context. After a kernel that faulted, every call has its error.
pub(crate) fn alive<T>(work: impl FnOnce(&mut Context) -> Result<T>) -> Result<T> {
    with(|context| match context.failed {
        Some(code) => Err(code),
        None => work(context),
    })
}

/// Opens the context at the first call of a program, so that it is known that there was one.
fn begin() {
    static FIRST: Once = Once::new();
    // Nothing is done with it.
    FIRST.call_once(|| with(|_| Ok(())).unwrap_or_default());
}

/// A call of the runtime.
pub(crate) fn runtime(call: impl FnOnce() -> Result) -> i32 {
    begin();
    match call() {
        Ok(()) => 0,
        Err(code) => {
            // That something goes on is no error.
            if code != Code::NOT_READY {
                LAST_ERROR.set(code);
            }
            code.0
        }
    }
}

/// A call of the driver, which has not all numbers of the runtime.
pub(crate) fn driver(call: impl FnOnce() -> Result) -> i32 {
    begin();
    let code = call().err().unwrap_or(Code::SUCCESS);
    let code = match code {
        Code::INVALID_CONFIGURATION | Code::INVALID_PITCH | Code::INVALID_DIRECTION => {
            Code::INVALID_VALUE
        }
        Code::INVALID_SYMBOL => Code::NOT_FOUND,
        Code::INVALID_FUNCTION => Code::INVALID_HANDLE,
        code => code,
    };
    code.0
}

/// A function that this library does not have.
pub(crate) fn unsupported(name: &str) -> Code {
    let told = with(|context| {
        context.report.unsupported(name);
        Ok(())
    });
    told.err().unwrap_or(Code::NOT_SUPPORTED)
}

/// The last error of the thread, or that of the kernel that has ended the context.
pub(crate) fn last_error(forget: bool) -> Code {
    let last = LAST_ERROR.get();
    if forget {
        LAST_ERROR.set(Code::SUCCESS);
    }
    let failed = with(|context| Ok(context.failed)).ok().flatten();
    failed.unwrap_or(last)
}
