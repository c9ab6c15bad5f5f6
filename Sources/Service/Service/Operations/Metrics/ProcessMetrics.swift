internal import Events
internal import Files
internal import HTTPServer
internal import Hashing
internal import Synchronization
internal import Work

/// Metrics of the process, the machine and the queues, with the names that Prometheus prescribes for a process.
struct ProcessMetrics {
    private let service: MunimentService

    init(of service: MunimentService) { self.service = service }

    func write(to text: inout MetricsText) {
        let build = service.settings.build
        text.metric(
            "muniment_build_info", .gauge, "Always 1; its labels name the version and the commit of the service.",
            [([("version", build.version), ("commit", build.commit)], 1)])
        if let process = ProcessStatistics() { write(process, to: &text) }
        if let disk = DiskSpace(at: service.data.path) {
            text.metric("muniment_disk_free_bytes", .gauge, "Free bytes on the disk of the data directory.", disk.freeBytes)
            text.metric("muniment_disk_size_bytes", .gauge, "Bytes of the disk of the data directory.", disk.totalBytes)
        }
        let listener = service.listener.withLock { $0 }
        if let server = listener.server {
            text.metric("muniment_connections", .gauge, "Open connections of clients.", server.connectionCount)
        }
        if let certificate = listener.certificate {
            text.metric(
                "muniment_certificate_end_timestamp_seconds", .gauge,
                "End of the validity of the service's certificate, in seconds since 1970.", certificate.validity.upperBound)
        }
        text.metric(
            "muniment_faults_total", .counter, "Faults of the service, including those that its log only counts.",
            service.operations.faults.count.value)
        text.begin("muniment_queue_requests", .gauge, "Requests in a queue, by queue and by state: running or waiting.")
        for (name, load) in queues {
            text.value("muniment_queue_requests", [("queue", name), ("state", "running")], load.running)
            text.value("muniment_queue_requests", [("queue", name), ("state", "waiting")], load.waiting)
        }
    }

    private var queues: [(String, (running: Int, waiting: Int))] {
        let bodies = zip(["medium_bodies", "large_bodies"], service.bodies.all).map { ($0, $1.load) }
        return [
            ("questions", service.work.load), ("streams", service.streams.load), ("issuer", service.verification.load),
        ] + bodies
    }

    private func write(_ process: ProcessStatistics, to text: inout MetricsText) {
        let seconds: [(String, MetricsText.Kind, String, Double)] = [
            ("process_cpu_seconds_total", .counter, "Processor time in user mode and in the kernel.", process.processorSeconds),
            ("process_start_time_seconds", .gauge, "Start of the process, in seconds since 1970.", process.startSeconds),
        ]
        for (name, kind, help, value) in seconds { text.metric(name, kind, help, seconds: [([], value)]) }
        let figures: [(String, String, Int)] = [
            ("process_virtual_memory_bytes", "Virtual memory.", process.virtualBytes),
            ("process_resident_memory_bytes", "Memory in use.", process.residentBytes),
            ("process_open_fds", "Open file descriptors.", process.openDescriptors),
            ("process_max_fds", "Limit on open file descriptors.", process.descriptorLimit),
        ]
        for (name, help, value) in figures { text.metric(name, .gauge, help, value) }
    }
}
