//! The contents of archives.

use launch_archive::{Archive, MemoryKind, Region, Texels};
use libtest_mimic::Failed;

use crate::{Program, equal, replay, wanted};

fn region<'a>(archive: &'a Archive, name: &str) -> Result<&'a Region, Failed> {
    let mut memory = archive.memory.iter();
    let found = memory.find(|region| region.name == name);
    found.ok_or_else(|| format!("there is no {name} in {:?}", archive.launch).into())
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    let words = bytes.as_chunks::<4>().0.iter();
    words.map(|word| f32::from_le_bytes(*word)).collect()
}

fn after(region: &Region) -> Result<&[u8], Failed> {
    let after = region.after.as_deref();
    after.ok_or_else(|| format!("there is no {} after the launch", region.name).into())
}

/// The archive contains exactly the addresses, variables and pointers of the launch.
pub(super) fn archives_have_what_is_reached(program: &Program) -> Result<(), Failed> {
    const COUNT: usize = 1003;
    let numbers: Vec<f32> = (0..COUNT).map(|index| (index % 17) as f32).collect();
    let scaled = |numbers: &[f32], by: f32| -> Vec<f32> {
        let numbers = numbers.iter().enumerate();
        numbers
            .map(|(index, number)| number * ((index % 4 + 1) as f32 * by))
            .collect()
    };
    let once = scaled(&numbers, 0.5);

    let archive = program.archive("0001-scale.launch")?;
    let (launch, first) = (&archive.launch, region(&archive, "cuMemAlloc 1")?);
    equal(&(launch.grid, launch.block), &([8, 1, 1], [128, 1, 1]))?;
    let arguments = [
        first.address.to_le_bytes().to_vec(),
        0.5_f32.to_le_bytes().to_vec(),
        (COUNT as u32).to_le_bytes().to_vec(),
    ];
    equal(&launch.arguments, &arguments.to_vec())?;
    equal(&floats(&first.before), &numbers)?;
    equal(&floats(after(first)?), &once)?;
    let factors = region(&archive, "factors")?;
    equal(&factors.kind, &MemoryKind::Constant)?;
    equal(&floats(&factors.before), &vec![1.0, 2.0, 3.0, 4.0])?;
    let launches = region(&archive, "launches")?;
    equal(&launches.before, &vec![5, 0, 0, 0])?;
    equal(&after(launches)?.to_vec(), &vec![6, 0, 0, 0])?;
    let kept = region(&archive, "kept")?;
    equal(
        &after(kept)?.to_vec(),
        &first.address.to_le_bytes().to_vec(),
    )?;
    equal(&archive.memory.len(), &4)?;

    // Memory is recorded that is reachable only through a variable written by the previous kernel.
    let archive = program.archive("0003-negate_kept.launch")?;
    let second = region(&archive, "cuMemAlloc 2")?;
    let mut expected = numbers.clone();
    let part = scaled(&numbers[100..600], 3.0);
    expected[100..600].copy_from_slice(&part);
    equal(&floats(&second.before), &expected)?;
    expected[100..107]
        .iter_mut()
        .for_each(|number| *number = -*number);
    equal(&floats(after(second)?), &expected)?;
    equal(&archive.memory.len(), &2)?;

    // Two rows, reached by a table of pointers, and the sums.
    let archive = program.archive("0004-sum_columns.launch")?;
    let table = region(&archive, "cuMemAlloc 5")?;
    let [first, second] = ["cuMemAlloc 1", "cuMemAlloc 2"].map(|name| region(&archive, name));
    let pointers = [first?.address, second?.address].map(u64::to_le_bytes);
    equal(&table.before, &pointers.concat())?;
    let sums: Vec<f32> = once.iter().zip(&expected).map(|(a, b)| a + b).collect();
    equal(&floats(after(region(&archive, "cuMemAlloc 4")?)?), &sums)?;
    equal(&archive.memory.len(), &4)?;

    equal(
        &program.archive("0006-ranks.launch")?.launch.cluster,
        &Some([2, 1, 1]),
    )?;
    let archive = program.archive("0007-count.launch")?;
    let host = region(&archive, "cuMemHostAlloc 8")?;
    equal(&archive.launch.cooperative, &true)?;
    equal(&host.before, &1000_u32.to_le_bytes().to_vec())?;
    equal(&after(host)?.to_vec(), &1128_u32.to_le_bytes().to_vec())
}

/// Memory in several parts is recorded completely, and each launch starts from the previous one's results.
pub(super) fn large_memory_is_whole(program: &Program) -> Result<(), Failed> {
    const COUNT: usize = (20 << 20) / 4 + 3;
    let mut expected: Vec<f32> = vec![0.0; COUNT];
    for index in (0..COUNT).step_by(1000) {
        expected[index] = (1 + index % 7) as f32;
    }
    for name in ["0009-scale.launch", "0010-scale.launch"] {
        let archive = program.archive(name)?;
        let large = region(&archive, "cuMemAlloc 9")?;
        equal(&(floats(&large.before) == expected), &true)?;
        let last = expected[COUNT - 500..].iter_mut().enumerate();
        last.for_each(|(index, number)| *number *= (index % 4 + 1) as f32 * 2.0);
        equal(&(floats(after(large)?) == expected), &true)?;
    }
    Ok(())
}

/// Archives contain the textures with their arrays, and the surface with its written contents.
pub(super) fn textures_are_recorded(program: &Program) -> Result<(), Failed> {
    let archive = program.archive("0011-add_texels.launch")?;
    let handle = |index: usize| archive.launch.arguments[index].as_slice().try_into();
    let [plane, surface] = [
        u64::from_le_bytes(handle(0)?),
        u64::from_le_bytes(handle(2)?),
    ];
    let objects = archive.launch.objects.iter();
    let arrays: Vec<u64> = objects
        .filter_map(|object| match object.texels {
            Texels::Array {
                array,
                extents: [7, 5, 0],
                ..
            } => Some((object, array)),
            _ => None,
        })
        .map(|(object, array)| {
            let expected = if object.reading.is_some() {
                plane
            } else {
                surface
            };
            equal(&object.handle, &expected).map(|()| array)
        })
        .collect::<Result<_, _>>()?;
    equal(&(arrays.len(), archive.launch.objects.len()), &(2, 3))?;
    let squares: Vec<f32> = (0..35).map(|index| (index * index) as f32).collect();
    // A quarter of a texel from the centre, so the texel has a weight of three quarters.
    let sum = |index: usize| {
        let neighbour = if index.is_multiple_of(7) {
            index
        } else {
            index - 1
        };
        1.75 * squares[index] + 0.25 * squares[neighbour]
    };
    let sums: Vec<f32> = (0..35).map(sum).collect();
    for region in archive
        .memory
        .iter()
        .filter(|region| region.kind == MemoryKind::Array)
    {
        let (before, after) = (floats(&region.before), floats(after(region)?));
        match before == squares {
            true => equal(&after, &squares)?,
            false => equal(&(before, after), &(vec![0.0; 35], sums.clone()))?,
        }
    }
    // Another texel changes the sum.
    let mut altered = archive.clone();
    for region in &mut altered.memory {
        if region.kind == MemoryKind::Array && floats(&region.before) == squares {
            region.before[4 * 34 + 3] ^= 0x80;
        }
    }
    let altered = program.write("texels.launch", &altered)?;
    wanted(
        &replay(&[], &altered)?,
        1,
        &[
            "error[mismatch]: `array 0x",
            ": 1 of 35 words of 4 bytes differ; at byte 136",
        ],
    )?;
    // A feature that the emulator does not support.
    let mut srgb = archive.clone();
    for object in &mut srgb.launch.objects {
        if let Some(reading) = &mut object.reading {
            reading.flags = 0x10;
        }
    }
    let srgb = program.write("srgb.launch", &srgb)?;
    wanted(&replay(&[], &srgb)?, 3, &["a texture of sRGB"])
}

pub(super) fn the_heap_is_named(program: &Program) -> Result<(), Failed> {
    let called = "it calls `malloc` or `free`, but the archive lacks the heap of kernels";
    let parts = ["borrow", "leave", "take"]
        .map(|kernel| format!("recorded in part: `{kernel}`, 1 launch: {called}\n"));
    wanted(&program.recorded, 42, &parts.each_ref().map(String::as_str))?;
    let told = format!("recorded in part: {called}\n");
    let borrowed = replay(&[], &program.file("0012-borrow.launch"))?;
    wanted(&borrowed, 0, &[&told, "\nclean: seed 0"])?;
    let left = replay(&[], &program.file("0013-leave.launch"))?;
    wanted(&left, 1, &[&told, "error[mismatch]: `cuMemAlloc 12`"])?;
    let taken = replay(&[], &program.file("0014-take.launch"))?;
    wanted(&taken, 1, &[&told, "error[out-of-bounds]"])?;
    let output = program.record("later", &["--launches", "14"], &[])?;
    wanted(&output, 42, &[&parts[2]])
}
