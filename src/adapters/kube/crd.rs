//! The custom resources of `kollect.dev/v1alpha1`.
