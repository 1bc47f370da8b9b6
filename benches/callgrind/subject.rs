//! `subject OPERATION ALGORITHM NODES`: does one operation once, inside of the one function that
//! Callgrind counts.

use std::error::Error;
use std::hint::black_box;

use algorithms::registry;
use benches::{Case, keys};
use harness::counts::{LOOKUPS, Operation};

#[inline(never)]
fn counted<T>(operation: impl FnOnce() -> T) -> T {
    black_box(operation())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [operation, algorithm, nodes] = &arguments[..] else {
        return Err("give an operation, an algorithm and a number of nodes".into());
    };
    let case = Case {
        algorithm: registry::find(algorithm).ok_or("no such algorithm")?,
        nodes: nodes.parse()?,
    };
    let list = case.list();
    match Operation::find(operation).ok_or("no such operation")? {
        Operation::Lookup => {
            let keys = keys(LOOKUPS);
            let placement = case.verified(&keys, |placement, keys, owners| {
                placement.place_many(keys, owners);
            })?;
            let mut owners = vec![None; keys.len()];
            counted(|| placement.place_many(black_box(&keys), black_box(&mut owners)));
        }
        Operation::Build => drop(counted(|| case.build(list))?),
        Operation::Add => {
            let mut placement = case.build(list)?;
            let newcomer = case.newcomer();
            counted(|| placement.add(newcomer))?;
        }
        Operation::Remove => {
            let mut placement = case.build(list)?;
            let newest = placement.add(case.newcomer())?;
            counted(|| placement.remove(newest))?;
        }
    }
    Ok(())
}
