"""Several machines on one: a cluster of etcd, PostgreSQL and Muniment in network namespaces, and a test that breaks it."""
