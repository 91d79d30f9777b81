//! A launch as data: it is checked before it runs, and runs on any backend.

use host_examples::{Result, check, device, jobs};
use kernels_gpu::add_one_1d::{AddOne1d, AddOneForm, BUF_LEN};
use tma_launch::{Buffer, Job};

fn main() -> Result<()> {
    let (mut jobs, ptx) = jobs(&device()?)?;

    // The check reports all invalid arguments at once, with the nearest valid values.
    let add_one = AddOne1d {
        threads: 100,
        offset_elems: 6,
        ..AddOne1d::default()
    };
    let Err(refused) = add_one.launch() else {
        return Err("100 threads are not whole warps, and were taken".into());
    };
    println!("refused:\n{refused}");

    // Three launches in order on the same buffer; each adds one.
    let numbers: Vec<i32> = (0..3000).collect();
    let mut job = Job::new(ptx);
    let data = job.buffer(Buffer::new("numbers", &numbers));
    for form in [
        AddOneForm::Transaction,
        AddOneForm::ExpectTx,
        AddOneForm::Raw,
    ] {
        let add_one = AddOne1d {
            form,
            data,
            offset_elems: 8,
            blocks: 2,
            threads: 128,
        };
        job.launch(add_one.launch()?);
    }
    // SAFETY: these kernels' launches have checked their arguments (1).
    unsafe { jobs.run(&mut job) }?;

    let changed = 8..8 + 2 * BUF_LEN as i32;
    let expected = (0..3000).map(|i| if changed.contains(&i) { i + 3 } else { i });
    let expected: Vec<i32> = expected.collect();
    check("three launches", &expected, &job.buffers[data].to_vec()?)
}
