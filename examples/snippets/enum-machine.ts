// TypeScript: enums, discriminated unions, satisfies, and exhaustive checks.
enum Status {
  Draft = 'draft',
  Review = 'review',
  Done = 'done',
}
enum Priority {
  Low,
  High = 10,
  Urgent,
}

type Event =
  | { type: 'submit'; by: string }
  | { type: 'approve'; by: string }
  | { type: 'reject'; reason: string };

const transitions = {
  [Status.Draft]: { submit: Status.Review },
  [Status.Review]: { approve: Status.Done, reject: Status.Draft },
  [Status.Done]: {},
} satisfies Record<Status, Partial<Record<Event['type'], Status>>>;

function step(status: Status, event: Event): Status {
  const next = (transitions[status] as Partial<Record<Event['type'], Status>>)[event.type];
  if (next === undefined) throw new RangeError(`${event.type} is not allowed in ${status}`);
  return next;
}

function describe(event: Event): string {
  switch (event.type) {
    case 'submit':
    case 'approve':
      return `${event.type} by ${event.by}`;
    case 'reject':
      return `rejected: ${event.reason}`;
    default: {
      const never: never = event;
      return never;
    }
  }
}

const events: Event[] = [
  { type: 'submit', by: 'kim' },
  { type: 'reject', reason: 'typos' },
  { type: 'submit', by: 'kim' },
  { type: 'approve', by: 'lee' },
];

const trail = events.reduce<Status[]>((seen, event) => [...seen, step(seen.at(-1)!, event)], [Status.Draft]);
let problem: string | undefined;
try {
  step(Status.Done, { type: 'submit', by: 'kim' });
} catch (error) {
  problem = (error as RangeError).message;
}

({ trail, log: events.map(describe), urgent: Priority.Urgent, name: Priority[10], problem });
