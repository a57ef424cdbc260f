//! Leases: one holder at a time, by the store's own clock, and nobody is sent where no gateway is.

use crate::ground::{Ground, on_both};
use portcullis_store::{Lease, StoreError};
use std::thread;
use std::time::Duration;

/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(600);

fn lease(holder: &str) -> Lease {
    let address = format!("http://{holder}.example:8930");
    Lease { name: "files".into(), holder: holder.into(), address }
}

fn a_lease_is_taken_kept_and_given_back(ground: &Ground) {
    let store = ground.store();
    let registry = store.registry();
    let ours = lease("one");
    let held = std::slice::from_ref(&ours);
    for _ in 0..2 {
        assert_eq!(registry.hold_lease(&ours, LONG).unwrap(), ours);
    }
    assert_eq!(registry.renew_leases(held, LONG).unwrap(), held);
    registry.leave_lease(&ours).unwrap();
    registry.leave_lease(&ours).unwrap();
    assert_eq!(registry.leases().unwrap(), []);
    assert_eq!(registry.hold_lease(&lease("two"), LONG).unwrap(), lease("two"));
}

on_both!(a_lease_is_taken_kept_and_given_back);

#[test]
fn who_comes_second_hears_who_has_it_until_its_time_is_over() {
    let ground = Ground::postgres();
    let store = ground.store();
    let registry = store.registry();
    let (one, two) = (lease("one"), lease("two"));
    registry.hold_lease(&one, LONG).unwrap();
    assert_eq!(registry.hold_lease(&two, LONG).unwrap(), one);
    assert_eq!(registry.renew_leases(std::slice::from_ref(&two), LONG).unwrap(), []);
    // What is not one's own cannot be given back.
    registry.leave_lease(&two).unwrap();
    assert_eq!(registry.leases().unwrap(), std::slice::from_ref(&one));
    let over = "UPDATE portcullis.leases SET until = now() - interval '1 second'";
    ground.sql(over);
    assert_eq!(registry.leases().unwrap(), []);
    // Nobody came meanwhile: it is still the holder's to renew.
    assert_eq!(registry.renew_leases(std::slice::from_ref(&one), LONG).unwrap(), std::slice::from_ref(&one));
    assert_eq!(registry.hold_lease(&two, LONG).unwrap(), one);
    ground.sql(over);
    assert_eq!(registry.hold_lease(&two, LONG).unwrap(), two);
    assert_eq!(registry.renew_leases(std::slice::from_ref(&one), LONG).unwrap(), []);
    registry.leave_lease(&one).unwrap();
    assert_eq!(registry.hold_lease(&one, LONG).unwrap(), two);
}

#[test]
fn of_many_who_ask_at_once_one_gets_it() {
    let ground = Ground::postgres();
    let store = ground.store();
    for round in 0..20 {
        let name = format!("round-{round}");
        let found: Vec<Lease> = thread::scope(|scope| {
            let ask = |number: usize| {
                let (store, name) = (&store, name.clone());
                scope.spawn(move || {
                    let wanted = Lease { name, ..lease(&format!("holder-{number}")) };
                    store.registry().hold_lease(&wanted, LONG).unwrap()
                })
            };
            let asking: Vec<_> = (0..6).map(ask).collect();
            asking.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert!(found.iter().all(|lease| *lease == found[0]), "{found:?}");
    }
}

#[test]
fn an_address_somebody_wrote_into_the_table_is_not_believed() {
    let ground = Ground::postgres();
    let store = ground.store();
    store.registry().hold_lease(&lease("one"), LONG).unwrap();
    ground.sql("UPDATE portcullis.leases SET address = 'http://evil.example'");
    let error = store.registry().hold_lease(&lease("two"), LONG).unwrap_err();
    assert!(matches!(&error, StoreError::Forged { what } if what.contains("files")), "{error}");
    assert!(matches!(store.registry().leases(), Err(StoreError::Forged { .. })));
}
