import Events
import TestSupport

@testable import MunimentClient

/// Results after a lost response. The machine never reports that the request had no effect.
extension Transitions {
    private static let lost = Result<AuthAnswer, AuthTransportFailure>.failure(.noAnswer("lost"))
    private static let down = Result<AuthAnswer, AuthTransportFailure>.failure(.notSent("down"))

    /// The machine sent a new password, and the response was lost.
    private static let lostOnce: [MachineScript.Line] =
        signedIn + [.event(asked(1, .updatePassword("another word"))), .event(answered(1, lost))]

    static let losing = [
        Transition(
            "Every answer was lost: it may have been done",
            lostOnce + [.event(waited(1)), .event(answered(1, lost)), .event(waited(1))], answered(1, lost),
            ["fail 1 outcomeUnknown"]),
        Transition(
            "One answer was lost, and then nobody was reached: it may have been done",
            lostOnce + [.event(waited(1)), .event(answered(1, down)), .event(waited(1))], answered(1, down),
            ["fail 1 outcomeUnknown"]),
        Transition(
            "Whoever gives up after an answer was lost is told that it may have been done", lostOnce, .givenUp(JobID(number: 1)),
            ["fail 1 outcomeUnknown"]),
        Transition(
            "So is the person who does not want to show who they are for the repetition",
            lostOnce + [.pass(seconds: 300), .event(waited(1))],
            .challengeCancelled(1), ["fail 1 outcomeUnknown"]),
        Transition(
            "So is whoever gets no new token to send it again with",
            signedIn + [.event(asked(1, .updateProfile([:]))), .event(answered(1, lost)), .pass(seconds: 580), .event(waited(1))]
                + [.event(.answered(.refresh(1), down)), .event(.waited(.refresh(1)))]
                + [.event(.answered(.refresh(1), down)), .event(.waited(.refresh(1)))],
            .answered(.refresh(1), down), ["fail 1 outcomeUnknown"]),
        Transition(
            "A question that got no answer has changed nothing",
            signedIn + [.event(asked(1, .reload)), .event(answered(1, lost)), .event(waited(1)), .event(answered(1, lost))],
            .givenUp(JobID(number: 1)), ["fail 1 cancelledByUser"]),
    ]
}
