import Events
import TestSupport

@testable import MunimentClient

/// Results after a lost response. The machine never reports that the request had no effect.
extension Transitions {
    private static let lost = Result<ServiceResponse, TransportError>.failure(.noAnswer("lost"))
    private static let down = Result<ServiceResponse, TransportError>.failure(.notSent("down"))

    /// The machine sent a new password, and the response was lost.
    private static let lostOnce: [MachineScript.Line] =
        signedIn + [.event(asked(1, .updatePassword("another word"))), .event(answered(1, lost))]

    static let losing = [
        Transition(
            "If every response is lost, the outcome is unknown",
            lostOnce + [.event(waited(1)), .event(answered(1, lost)), .event(waited(1))], answered(1, lost),
            ["fail 1 outcomeUnknown"]),
        Transition(
            "If one response is lost and the service is then unreachable, the outcome is unknown",
            lostOnce + [.event(waited(1)), .event(answered(1, down)), .event(waited(1))], answered(1, down),
            ["fail 1 outcomeUnknown"]),
        Transition(
            "If the caller cancels after a lost response, the outcome is unknown", lostOnce, .givenUp(JobID(number: 1)),
            ["fail 1 outcomeUnknown"]),
        Transition(
            "If the user cancels the reauthentication for the repetition, the outcome is unknown",
            lostOnce + [.pass(seconds: 300), .event(waited(1))],
            .challengeCancelled(1), ["fail 1 outcomeUnknown"]),
        Transition(
            "If there is no new token for the repetition, the outcome is unknown",
            signedIn + [.event(asked(1, .updateProfile([:]))), .event(answered(1, lost)), .pass(seconds: 580), .event(waited(1))]
                + [.event(.answered(.refresh(1), down)), .event(.waited(.refresh(1)))]
                + [.event(.answered(.refresh(1), down)), .event(.waited(.refresh(1)))],
            .answered(.refresh(1), down), ["fail 1 outcomeUnknown"]),
        Transition(
            "A cancelled read has no unknown outcome, even after a lost response",
            signedIn + [.event(asked(1, .reload)), .event(answered(1, lost)), .event(waited(1)), .event(answered(1, lost))],
            .givenUp(JobID(number: 1)), ["fail 1 cancelledByUser"]),
    ]
}
