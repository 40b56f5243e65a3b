use std::fs;
#[test]
fn dump() {
    let dir = std::path::Path::new("/tmp/crds");
    fs::create_dir_all(dir).unwrap();
    for d in super::all() {
        fs::write(dir.join(super::file_name(&d)), super::to_yaml(&d).unwrap()).unwrap();
    }
}
