import Glibc

/// How many files and sockets this process may have open.
enum DescriptorLimit {
    /// Programs that this one starts inherit it, and some make tables of that size.
    private static let most: rlim_t = 65_536

    /// Many systems begin with 1024, for programs that use `select`, and let every process take as many as the hard limit says.
    /// Nothing happens where that is not more.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        let wanted = min(limit.rlim_max, most)
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = wanted
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
