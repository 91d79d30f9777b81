//! `griddepcontrol`, kernels that follow each other without waiting for the end.

family! { Griddepcontrol "9.7.13.13" { Wait, LaunchDependents }
    Wait: "griddepcontrol.wait"
        isa "7.8" on "sm_90" = "griddepcontrol::wait()";
    LaunchDependents: "griddepcontrol.launch_dependents"
        isa "7.8" on "sm_90" = "griddepcontrol::launch_dependents()";
}
