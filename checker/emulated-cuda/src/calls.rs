//! Entry of all calls: the process's only context, and the last error of each thread.

use std::{
    any::Any,
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Mutex, Once, PoisonError},
};

use crate::{
    code::{Code, Result},
    context::Context,
};

static CONTEXT: Mutex<Option<Context>> = Mutex::new(None);

thread_local! {
    static LAST_ERROR: Cell<Code> = const { Cell::new(Code::SUCCESS) };
}

/// Runs work on the context, even after a kernel has ended it.
pub(crate) fn with<T>(work: impl FnOnce(&mut Context) -> Result<T>) -> Result<T> {
    let mut context = CONTEXT.lock().unwrap_or_else(PoisonError::into_inner);
    work(context.get_or_insert_with(Context::open))
}

/// Runs work on the context. After a kernel has faulted, every call returns its error.
pub(crate) fn alive<T>(work: impl FnOnce(&mut Context) -> Result<T>) -> Result<T> {
    with(|context| match context.failed {
        Some(code) => Err(code),
        None => work(context),
    })
}

/// Opens the context at the first call of a program, to record that there was one.
fn begin() {
    static FIRST: Once = Once::new();
    // Only opens the context.
    FIRST.call_once(|| with(|_| Ok(())).unwrap_or_default());
}

/// Runs the body of a call. If it panics, the call fails and is counted, and so does every later call, since the
/// context is in an unknown state.
pub(crate) fn caught<T>(name: &str, call: impl FnOnce() -> Result<T>) -> Result<T> {
    // Unwind safe, since later calls return the error and do not use the interrupted state.
    let result = catch_unwind(AssertUnwindSafe(call));
    result.unwrap_or_else(|payload| {
        let why = message(&*payload);
        with(|context| {
            context.failed = Some(Code::UNKNOWN);
            let what = format!(
                "{name} panicked: {why}; this is a bug of the emulator, and every later call fails; please report it"
            );
            Err(context.wrong(Code::UNKNOWN, &what))
        })
    })
}

/// Returns the message of a panic.
fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
    text.unwrap_or("without a message")
}

/// Runs a call of the runtime.
pub(crate) fn runtime(name: &str, call: impl FnOnce() -> Result) -> i32 {
    let result = caught(name, || {
        begin();
        call()
    });
    match result {
        Ok(()) => 0,
        Err(code) => {
            // Unfinished work is not an error.
            if code != Code::NOT_READY {
                LAST_ERROR.set(code);
            }
            code.0
        }
    }
}

/// Runs a call of the driver, which lacks some of the runtime's codes.
pub(crate) fn driver(name: &str, call: impl FnOnce() -> Result) -> i32 {
    let result = caught(name, || {
        begin();
        call()
    });
    let code = result.err().unwrap_or(Code::SUCCESS);
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

/// Reports a call of an unsupported function.
pub(crate) fn unsupported(name: &str) -> Code {
    let reported = with(|context| {
        context.report.unsupported(name);
        Ok(())
    });
    reported.err().unwrap_or(Code::NOT_SUPPORTED)
}

/// Returns the last error of the thread, or the error of the kernel that has ended the context.
pub(crate) fn last_error(forget: bool) -> Code {
    let last = LAST_ERROR.get();
    if forget {
        LAST_ERROR.set(Code::SUCCESS);
    }
    let failed = with(|context| Ok(context.failed)).ok().flatten();
    failed.unwrap_or(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_in_a_call_is_its_error_and_that_of_later_calls() {
        let panics = || -> Result { panic!("the reason") };
        assert_eq!(runtime("cudaFirst", panics), Code::UNKNOWN.0);
        assert_eq!(driver("cuSecond", || alive(|_| Ok(()))), Code::UNKNOWN.0);
        assert_eq!(last_error(false), Code::UNKNOWN);
        with(|context| {
            let reported = context.report.is_reported("cudaFirst panicked: the reason");
            assert!(reported);
            Ok(())
        })
        .unwrap();
    }
}
