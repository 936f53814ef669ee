import { dumpYaml } from "@capstan/formats/yaml";

interface CatalogEntry {
  /** The trigger is `on-` and this, its template `app-` and this. */
  readonly name: string;
  readonly description: string;
  readonly when: string;
  readonly oncePer: string;
  /** What chats show before it. */
  readonly sign: string;
  /** Of the bar beside it, in Slack and Teams. */
  readonly color: string;
  /** One line; the name of the application stands in it. */
  readonly subject: string;
  /** What follows in the message. */
  readonly more: string;
  readonly facts: readonly (readonly [title: string, template: string])[];
}

const app = "{{.app.metadata.name}}";
const page = "{{.context.argocdUrl}}/applications/{{.app.metadata.namespace}}/{{.app.metadata.name}}";
const finished = "{{.app.status.operationState.finishedAt}}";
const perRevision = "app.status.operationState?.syncResult?.revision";

const syncStatus = ["Sync status", ".app.status.sync.status"] as const;
const revision = ["Revision", '(default "" .app.status.sync.revision)'] as const;
const failure = ["Reason", '(default "" .app.status.operationState.message)'] as const;

/** When each is told as Argo CD's catalog says it (notifications_catalog), so that whoever comes from it is told nothing twice. */
const entries: readonly CatalogEntry[] = [
  {
    name: "created",
    description: "Application is created.",
    when: "true",
    oncePer: "app.metadata.name",
    sign: ":seedling:",
    color: "#0DADEA",
    subject: `${app}: the application was created`,
    more: "",
    facts: [],
  },
  {
    name: "deleted",
    description: "Application is deleted.",
    when: "app.metadata.deletionTimestamp != nil",
    oncePer: "app.metadata.name",
    sign: ":wastebasket:",
    color: "#6D7F8B",
    subject: `${app}: the application is being deleted`,
    more: "",
    facts: [],
  },
  {
    name: "deployed",
    description: "Application is synced and healthy. Triggered once per commit.",
    when: "app.status.operationState != nil and app.status.operationState.phase in ['Succeeded'] and app.status.health.status == 'Healthy' and (!time.Parse(app.status.health.lastTransitionTime).Add(1 * time.Minute).Before(time.Parse(app.status.operationState.finishedAt)) or time.Parse(app.status.health.lastTransitionTime).Before(time.Parse(app.status.operationState.startedAt)))",
    oncePer: perRevision,
    sign: ":white_check_mark:",
    color: "#18BE52",
    subject: `${app}: the new revision is deployed and healthy`,
    more: `\nLook at it: ${page}`,
    facts: [syncStatus, revision],
  },
  {
    name: "health-degraded",
    description: "Application has degraded",
    when: "app.status.health.status == 'Degraded'",
    oncePer: perRevision,
    sign: ":exclamation:",
    color: "#F4C030",
    subject: `${app}: something of the application is not healthy`,
    more: `\nWhat it is: ${page}`,
    facts: [["Health", ".app.status.health.status"]],
  },
  {
    name: "sync-failed",
    description: "Application syncing has failed",
    when: "app.status.operationState != nil and app.status.operationState.phase in ['Error', 'Failed']",
    oncePer: perRevision,
    sign: ":x:",
    color: "#E96D76",
    subject: `${app}: the sync has failed`,
    more: `\nIt ended at ${finished}: {{.app.status.operationState.message}}\nThe operation: ${page}?operation=true`,
    facts: [syncStatus, failure],
  },
  {
    name: "sync-running",
    description: "Application is being synced",
    when: "app.status.operationState != nil and app.status.operationState.phase in ['Running']",
    oncePer: perRevision,
    sign: ":arrows_counterclockwise:",
    color: "#0DADEA",
    subject: `${app}: a sync has begun`,
    more: `\nIt began at {{.app.status.operationState.startedAt}}.\nThe operation: ${page}?operation=true`,
    facts: [syncStatus],
  },
  {
    name: "sync-status-unknown",
    description: "Application status is 'Unknown'",
    when: "app.status.sync.status == 'Unknown'",
    oncePer: perRevision,
    sign: ":grey_question:",
    color: "#6D7F8B",
    subject: `${app}: it is not known whether the application is in sync`,
    more: `\nWhat was found:{{range .app.status.conditions}}\n- {{.type}}: {{.message}}{{end}}\nThe application: ${page}`,
    facts: [syncStatus],
  },
  {
    name: "sync-succeeded",
    description: "Application syncing has succeeded",
    when: "app.status.operationState != nil and app.status.operationState.phase in ['Succeeded']",
    oncePer: perRevision,
    sign: ":white_check_mark:",
    color: "#18BE52",
    subject: `${app}: the sync has succeeded`,
    more: `\nIt ended at ${finished}.\nThe operation: ${page}?operation=true`,
    facts: [syncStatus, revision],
  },
];

/** Texts that JSON reads as they are, whatever stands in the Application. */
const quoted = (template: string): string => `{{toJson ${template}}}`;

/** Addresses of all sources, in one JSON text. */
const repositories =
  "{{$all := list}}{{with .app.spec.source}}{{$all = append $all .repoURL}}{{end}}{{range .app.spec.sources}}{{$all = append $all .repoURL}}{{end}}" +
  '{{toJson (join ", " $all)}}';

function factsOf({ facts }: CatalogEntry, [title, value]: readonly [string, string], more = ""): string {
  const all = [
    ...facts.map(([name, template]) => `{"${title}": "${name}", "${value}": ${quoted(template)}${more}}`),
    `{"${title}": "Repositories", "${value}": ${repositories}${more}}`,
  ];
  const conditions = `{{range .app.status.conditions}}, {"${title}": ${quoted(".type")}, "${value}": ${quoted(".message")}${more}}{{end}}`;
  return `[${all.join(",\n ")}${conditions}]`;
}

function templateOf(entry: CatalogEntry): object {
  const { subject, sign, color, more } = entry;
  const attachment = `[{
  "title": ${quoted(".app.metadata.name")},
  "title_link": "${page}",
  "color": "${color}",
  "fields": ${factsOf(entry, ["title", "value"], ', "short": true')}
}]`;
  const open = `[{"@type": "OpenUri", "name": "Open the application", "targets": [{"os": "default", "uri": "${page}"}]}]`;
  return {
    message: `{{if eq .serviceType "slack"}}${sign} {{end}}${subject}${more}`,
    email: { subject },
    slack: { attachments: attachment },
    teams: {
      title: subject,
      themeColor: color,
      facts: factsOf(entry, ["name", "value"]),
      potentialAction: open,
    },
  };
}

/** Triggers and templates for a beginning, as keys of argocd-notifications-cm. Templates want `argocdUrl` in `context`. */
export function notificationCatalog(): Record<string, string> {
  return Object.fromEntries(
    entries.flatMap((entry) => {
      const { name, description, when, oncePer } = entry;
      const trigger = [{ description, oncePer, send: [`app-${name}`], when }];
      return [
        [`template.app-${name}`, dumpYaml(templateOf(entry))],
        [`trigger.on-${name}`, dumpYaml(trigger)],
      ];
    }),
  );
}
