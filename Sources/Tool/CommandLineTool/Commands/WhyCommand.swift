import Events
import Muniment
import Permissions
import Wire

extension Command {
    static let why = Command(
        "why", "explain why a subject has a privilege or not: every path, with the author and time of each step",
        sentence: "SUBJECT PRIVILEGE[,PRIVILEGE…] [on] OBJECT", options: Option.question,
        example: Example(
            "why user:ann read doc:plan",
            """
            yes: user:ann may read doc:plan
            …
            """)
    ) { call in
        let subject = try call.name("the subject")
        let (privileges, object) = try call.privilegesOnObject()
        let isPast = call.options[.at] != nil
        let (answer, when) = try call.ask { snapshot in
            let explanation = try snapshot.explain(subject, privileges, on: object)
            let proposals = explanation.isAllowed ? nil : try snapshot.proposals(for: explanation)
            return ((try snapshot.witness(of: explanation), proposals), snapshot.members)
        }
        let (witness, proposals) = answer
        if call.isJSON {
            let members = proposals.map(\.members) ?? [:]
            try call.output.json(WitnessJSON(witness).value.with(members).with(when))
        } else {
            for line in witness.lines { try call.output.line(line) }
            for line in proposals?.lines(isPast: isPast) ?? [] { try call.output.line(line) }
        }
        return witness.isAllowed ? .success : .failure
    }
}
