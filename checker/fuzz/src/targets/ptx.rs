use super::Depth;

pub(super) fn run(data: &[u8]) -> Depth {
    let text = String::from_utf8_lossy(data);
    let module = match ptx::parse(&text) {
        Ok(module) => module,
        Err(errors) => {
            assert!(!errors.to_string().is_empty());
            return Depth::Refused;
        }
    };
    let printed = module.to_string();
    match ptx::parse(&printed) {
        Ok(again) => assert!(again == module, "printed, it is another module:\n{printed}"),
        Err(errors) => panic!("the printed text is not valid PTX: {errors}\n{printed}"),
    }
    for entry in module.entries() {
        drop(module.extract(entry.name.as_str()));
    }
    Depth::Ended
}
