use super::{
    DriverError, NOT_FOUND, Origin, STUB_LIBRARY, check, codes, own_name, own_sentence, to_result,
};
use cust_raw::CUresult;

#[test]
fn table_is_sorted_and_complete() {
    assert!(codes::CODES.is_sorted_by(|a, b| a.code < b.code));
    for entry in codes::CODES {
        let name = entry.name.to_str().expect("ASCII");
        assert!(name.starts_with("CUDA_"), "{name}");
        assert!(!entry.sentence.is_empty(), "{name} has no sentence");
        if let Some(listed) = entry.listed {
            assert_eq!(
                (name, entry.code),
                (format!("{listed:?}").as_str(), listed as i32)
            );
        }
    }
    // The variants of `cust_raw`'s enumeration.
    let listed = codes::CODES.iter().filter(|entry| entry.listed.is_some());
    assert_eq!(listed.count(), 87);
}

#[test]
fn codes_have_names_and_sentences() {
    assert_eq!(own_name(1), Some(c"CUDA_ERROR_INVALID_VALUE"));
    assert_eq!(own_sentence(1), Some(c"invalid argument"));
    assert_eq!(own_name(912), Some(c"CUDA_ERROR_INVALID_CLUSTER_SIZE"));
    assert_eq!(own_name(12345), None);
}

#[test]
fn results_for_c_never_leave_the_enumeration() {
    assert_eq!(to_result(Ok(0)), CUresult::CUDA_SUCCESS);
    assert_eq!(to_result(Ok(718)), CUresult::CUDA_ERROR_INVALID_PC);
    assert_eq!(to_result(Ok(912)), CUresult::CUDA_ERROR_UNKNOWN);
    assert_eq!(to_result(Ok(-5)), CUresult::CUDA_ERROR_UNKNOWN);
    let (no_driver, no_function) = (Err(Origin::NoDriver), Err(Origin::NoFunction));
    assert_eq!(to_result(no_driver), CUresult::CUDA_ERROR_STUB_LIBRARY);
    assert_eq!(to_result(no_function), CUresult::CUDA_ERROR_NOT_FOUND);
}

#[test]
fn results_for_rust_keep_code_and_origin() {
    let error = |code, origin| {
        Err(DriverError {
            function: "cuInit",
            code,
            origin,
        })
    };
    assert_eq!(check("cuInit", Ok(0)), Ok(()));
    assert_eq!(check("cuInit", Ok(912)), error(912, Origin::Driver));
    let (no_driver, no_function) = (Origin::NoDriver, Origin::NoFunction);
    assert_eq!(
        check("cuInit", Err(no_driver)),
        error(STUB_LIBRARY, no_driver)
    );
    assert_eq!(
        check("cuInit", Err(no_function)),
        error(NOT_FOUND, no_function)
    );
}

#[test]
fn a_missing_function_is_not_a_missing_kernel() {
    let error = |origin| DriverError {
        function: "cuModuleGetFunction",
        code: NOT_FOUND,
        origin,
    };
    assert_eq!(
        error(Origin::NoFunction).to_string(),
        "cuModuleGetFunction: CUDA_ERROR_NOT_FOUND (500): the loaded CUDA driver has no such function"
    );
    assert_eq!(
        error(Origin::Driver).to_string(),
        "cuModuleGetFunction: CUDA_ERROR_NOT_FOUND (500): named symbol not found"
    );
}
