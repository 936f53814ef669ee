/** Configurations of notifications that are played by the real controller and by ours. */
export interface NotificationCase {
  readonly triggers?: Readonly<Record<string, readonly object[]>>;
  readonly templates?: Readonly<Record<string, object>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of a project of its own. */
  readonly project?: Readonly<Record<string, string>>;
  readonly spec?: object;
  readonly finalizers?: readonly string[];
  /** What its status becomes, one after the other. */
  readonly steps?: readonly (object | undefined)[];
}

interface Place {
  readonly repository: string;
  readonly revision: string;
}

const prefix = "notifications.argoproj.io/subscribe.";
const synced = (revision = "r1") => ({ sync: { status: "Synced", revision }, health: { status: "Healthy" } });
const outOfSync = { sync: { status: "OutOfSync", revision: "r1" }, health: { status: "Healthy" } };
const isSynced = "app.status.sync.status == 'Synced'";
/** Synced, then not, then synced again. */
const flips = [synced(), outOfSync, synced()];

const say = (body: string, path = "/{{.app.metadata.name}}") => ({
  webhook: { hook: { method: "POST", path, body } },
});

/** A trigger and a template of this name, subscribed to by the service `hook`. */
function simple(
  name: string,
  conditions: object | readonly object[],
  { body = "{{.app.metadata.name}}", ...more }: { body?: string } & NotificationCase = {},
): NotificationCase {
  const list = Array.isArray(conditions) ? conditions : [conditions];
  return {
    steps: flips,
    triggers: { [name]: list.map((one) => ({ send: [name], ...one })) },
    templates: { [name]: say(body) },
    annotations: { [`${prefix}${name}.hook`]: "" },
    ...more,
  };
}

const finished = (finishedAt: string, reconciledAt: string, phase = "Succeeded") => ({
  ...synced(),
  health: { status: "Healthy", lastTransitionTime: "2024-01-01T00:00:30Z" },
  reconciledAt,
  operationState: {
    phase,
    startedAt: "2024-01-01T00:00:00Z",
    finishedAt,
    message: "done <&>",
    operation: {},
    syncResult: { revision: "abc", source: { repoURL: "https://git.example/x" } },
  },
});
const [early, late] = ["2024-01-01T00:01:00Z", "2024-01-01T00:02:00Z"];

const deployed =
  "app.status.operationState != nil and app.status.operationState.phase in ['Succeeded'] and app.status.health.status == 'Healthy' and (!time.Parse(app.status.health.lastTransitionTime).Add(1 * time.Minute).Before(time.Parse(app.status.operationState.finishedAt)) or time.Parse(app.status.health.lastTransitionTime).Before(time.Parse(app.status.operationState.startedAt)))";

function conditionCases(): Record<string, NotificationCase> {
  return {
    plain: simple("plain", { when: isSynced }),
    "once-per": simple(
      "once-per",
      { when: isSynced, oncePer: "app.status.sync.revision" },
      { steps: [synced("a"), synced("b"), synced("a")] },
    ),
    "once-flips": simple("once-flips", { when: isSynced, oncePer: "app.status.sync.revision" }),
    several: simple("several", [
      { when: isSynced },
      { when: "app.status.health.status == 'Healthy'", oncePer: "app.metadata.uid != ''" },
      { when: "app.status.sync.status == 'OutOfSync'" },
    ]),
    "without-when": simple("without-when", { description: "never" }),
    "no-boolean": simple("no-boolean", { when: "app.metadata.name" }),
    fails: simple("fails", [{ when: "app.nothing.at.all == 1" }, { when: isSynced }]),
    "once-nil": simple("once-nil", {
      when: isSynced,
      oncePer: "app.status.operationState?.syncResult?.revision",
    }),
    "once-fails": simple("once-fails", { when: isSynced, oncePer: "app.nothing.at.all" }),
    "once-number": simple("once-number", { when: isSynced, oncePer: "1 + 2" }),
    "once-list": simple("once-list", { when: isSynced, oncePer: "[app.status.sync, 1.5, nil, true]" }),
    "once-escaped": simple("once-escaped", { when: isSynced, oncePer: "'<&>' + app.status.sync.revision" }),
    "in-list": simple("in-list", { when: "app.status.sync.status in ['Synced', 'OutOfSync']" }),
    deployed: simple(
      "deployed",
      { when: deployed, oncePer: "app.status.operationState?.syncResult?.revision" },
      {
        steps: [
          finished(early, late),
          undefined,
          { ...finished(early, late), health: { status: "Degraded" } },
        ],
      },
    ),
    "since-now": simple("since-now", {
      when: "time.Now().Sub(time.Parse('2024-01-01T00:00:00Z')).Hours() > 1 and time.Now().Year() > 2000",
    }),
    "strings-when": simple("strings-when", { when: "strings.ToUpper(app.status.sync.status) == 'SYNCED'" }),
    "repo-when": simple("repo-when", {
      when: "repo.FullNameByRepoURL('git@github.com:argoproj/argo-cd.git') == 'argoproj/argo-cd'",
    }),
    "details-when": simple("details-when", { when: "repo.GetAppDetails().Type == 'Directory'" }),
    "context-when": simple("context-when", { when: "context.word == 'said'" }),
    "secrets-when": simple("secrets-when", { when: "len(secrets.word) == 6" }),
    "any-condition": simple(
      "any-condition",
      { when: "any(app.status.conditions, {.type == 'SyncError'})" },
      {
        body: "{{range .app.status.conditions}}[{{.type}}: {{.message}}]{{end}}",
        steps: [
          {
            conditions: [
              { type: "SyncError", message: "a" },
              { type: "Other", message: "<b>" },
            ],
          },
        ],
      },
    ),
  };
}

function templateCases({ revision }: Place): Record<string, NotificationCase> {
  const of = (name: string, body: string, more: NotificationCase = {}) =>
    simple(name, { when: isSynced }, { body, ...more });
  return {
    "two-templates": {
      ...simple("two-templates", { when: isSynced, send: ["two-templates", "two-templates-more"] }),
      templates: {
        "two-templates": { message: "first", ...say("first {{.app.metadata.name}}") },
        "two-templates-more": say("second {{.app.metadata.name}}", "/more"),
      },
    },
    "message-alone": {
      ...simple("message-alone", { when: isSynced }),
      templates: { "message-alone": { message: "for {{.app.metadata.name}}" } },
    },
    sprig: of(
      "sprig",
      "{{.app.metadata.name | upper}} {{default `x` .app.spec.nothing}} {{toJson .app.spec.destination}}",
    ),
    integers: of("integers", "{{eq .app.spec.revisionHistoryLimit 3}} {{.app.spec.revisionHistoryLimit}}", {
      spec: { revisionHistoryLimit: 3 },
    }),
    secrets: of("secrets", "{{.secrets.word | toString}} {{.secrets.word}} {{printf `%s` .secrets.word}}"),
    context: of("context", "{{.context.word}} {{.context.notificationType}} {{.context.nothing}}|"),
    recipient: of("recipient", "{{.serviceType}} {{.recipient}}", {
      annotations: { [`${prefix}recipient.hook`]: "one; two ;;one" },
    }),
    "time-parse": of(
      "time-parse",
      "{{(call .time.Parse `2024-01-02T03:04:05+02:00`).Format .time.RFC1123Z}}",
    ),
    "time-add": of(
      "time-add",
      "{{(call .time.Parse `2024-01-02T03:04:05Z`).Add .time.Hour}} {{.time.Minute}}",
    ),
    "time-now": of("time-now", "{{gt (call .time.Now).Year 2000}}"),
    "strings-call": of(
      "strings-call",
      "{{call .strings.ReplaceAll `a-b-c` `-` `+`}} {{call .strings.ToLower `ABC`}}",
    ),
    "repo-call": of(
      "repo-call",
      "{{call .repo.RepoURLToHTTPS `git@github.com:argoproj/argo-cd.git`}} {{call .repo.FullNameByRepoURL `https://h.example/a/b/c.git`}} {{call .repo.QueryEscape `a b&c/ü`}}",
    ),
    commit: of(
      "commit",
      `{{$c := call .repo.GetCommitMetadata "${revision}"}}{{$c.Author}}|{{$c.Message}}|{{$c.Date.Year}}|{{$c.Tags}}`,
    ),
    details: of("details", "{{(call .repo.GetAppDetails).Type}}"),
    "no-value": of("no-value", "{{.app.spec.nothing}} {{.nothing}}"),
    loops: of(
      "loops",
      "{{range $i, $e := until 3}}{{$i}}{{$e}},{{end}}{{with .app.spec.source}}{{.path}}{{end}}",
    ),
    "method-get": {
      ...simple("method-get", { when: isSynced }),
      templates: { "method-get": { webhook: { hook: { path: "/get?app={{.app.metadata.name}}" } } } },
    },
    "app-project": of("app-project", "{{len .context}}"),
  };
}

function subscriptionCases(): Record<string, NotificationCase> {
  const shared = (name: string): NotificationCase => ({
    triggers: { [name]: [{ when: isSynced, send: [name] }] },
    templates: {
      [name]: {
        message: "{{.app.metadata.name}}",
        webhook: {
          hook: { method: "POST", body: "{{.app.metadata.name}} {{.recipient}}" },
          second: { method: "PUT", body: "{{.app.metadata.name}} {{.recipient}}" },
        },
      },
    },
    steps: flips,
  });
  return {
    "by-default": { ...shared("by-default"), annotations: { [`${prefix}hook`]: "d" } },
    "by-second": { ...shared("by-second"), annotations: { [`${prefix}second`]: "s" } },
    listed: {
      ...shared("listed"),
      annotations: {
        "notifications.argoproj.io/subscriptions": JSON.stringify([
          {
            trigger: ["listed", "by-default"],
            destinations: [
              { service: "hook", recipients: ["a", "b"] },
              { service: "second", recipients: ["c"] },
            ],
          },
        ]),
      },
    },
    "with-project": { ...shared("with-project"), project: { [`${prefix}with-project.hook`]: "p;q" } },
    legacy: {
      ...shared("legacy"),
      project: { "legacy.recipients.argocd-notifications.argoproj.io": "hook:old, hook:older" },
    },
    global: { ...shared("global"), labels: { told: "yes" } },
    "global-hidden": { steps: flips, labels: { told: "yes", hidden: "1" } },
    "global-default": { steps: flips, labels: { told: "default" } },
    unknown: { steps: flips, annotations: { [`${prefix}nobody-knows.hook`]: "x" } },
    unsubscribed: { steps: flips },
  };
}

function stateCases(): Record<string, NotificationCase> {
  const many = Object.fromEntries(
    Array.from({ length: 120 }, (_, index) => [`old-${index}`, 1_600_000_000 + index]),
  );
  const notified = "notified.notifications.argoproj.io";
  return {
    stale: simple(
      "stale",
      { when: isSynced },
      { steps: [finished(late, early), finished(late, late), finished(late, early, "Running")] },
    ),
    full: simple(
      "full",
      { when: isSynced },
      {
        annotations: { [`${prefix}full.hook`]: "", [notified]: JSON.stringify(many) },
      },
    ),
    "state-broken": simple(
      "state-broken",
      { when: isSynced },
      {
        annotations: { [`${prefix}state-broken.hook`]: "", [notified]: "{" },
      },
    ),
    deleted: simple(
      "deleted",
      { when: "app.metadata.deletionTimestamp != nil", oncePer: "app.metadata.name" },
      {
        finalizers: ["example.com/held"],
      },
    ),
    created: simple("created", { when: "true", oncePer: "app.metadata.name" }),
  };
}

export function notificationCases(place: Place): Readonly<Record<string, NotificationCase>> {
  return { ...conditionCases(), ...templateCases(place), ...subscriptionCases(), ...stateCases() };
}
