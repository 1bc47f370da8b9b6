//! Tells the program what it was built from and how, so that every record can.

use std::env;
use std::process::Command;

fn main() {
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    let set = |name: &str, value: Option<String>| {
        println!(
            "cargo::rustc-env=HARNESS_{name}={}",
            value.unwrap_or_default()
        );
    };
    set("COMMIT", run("git", &["rev-parse", "HEAD"]));
    let sources = [
        "status",
        "--porcelain",
        "--",
        "../algorithms",
        "../harness",
        "../Cargo.lock",
    ];
    set(
        "CHANGES",
        run("git", &sources).map(|changes| (!changes.is_empty()).to_string()),
    );
    let rustc = env::var("RUSTC").ok();
    set("RUSTC", rustc.and_then(|rustc| run(&rustc, &["--version"])));
    set(
        "PROFILE",
        env::var("PROFILE").ok().map(|name| match &*name {
            "debug" => "dev".into(),
            _ => name,
        }),
    );
    set("OPT_LEVEL", env::var("OPT_LEVEL").ok());
    set("TARGET_FEATURES", env::var("CARGO_CFG_TARGET_FEATURE").ok());
    for path in ["src", "Cargo.toml", "../algorithms/src", "../Cargo.lock"] {
        println!("cargo::rerun-if-changed={path}");
    }
    if let Some(git) = run("git", &["rev-parse", "--git-dir"]) {
        println!("cargo::rerun-if-changed={git}/logs/HEAD");
    }
}
