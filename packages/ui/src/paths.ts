/** Every link in the product; paths.test.ts holds a snapshot of all of them. */

/** Search part of an address as flat texts; absent and empty values do not appear in it. */
export type Search = Readonly<Record<string, string | undefined>>;

export interface AppRef {
  readonly namespace: string;
  readonly name: string;
}

export const applicationTabs = [
  "tree",
  "diff",
  "pipeline",
  "events",
  "history",
  "logs",
  "parameters",
  "manifest",
] as const;
export type ApplicationTab = (typeof applicationTabs)[number];

export const settingsParts = ["accounts", "certificates", "gpg-keys", "notifications"] as const;
export type SettingsPart = (typeof settingsParts)[number];
export const settingsWords: Readonly<Record<SettingsPart, string>> = {
  accounts: "Accounts",
  certificates: "Certificates",
  "gpg-keys": "GPG keys",
  notifications: "Notifications",
};

/** Commas, slashes and colons stay readable; they need no escaping in a query (RFC 3986 §3.4). */
export function searchText(search: Search): string {
  const parts = Object.entries(search).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [`${encodeURIComponent(name)}=${encodeValue(value)}`],
  );
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

export function readSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

function encodeValue(value: string): string {
  return encodeURIComponent(value).replace(/%2C/g, ",").replace(/%2F/g, "/").replace(/%3A/g, ":");
}

function applicationPath({ namespace, name }: AppRef, search: Search = {}): string {
  return `/applications/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}${searchText(search)}`;
}

export const paths = {
  home: () => "/",
  login: (returnTo?: string) => `/login${searchText({ return: returnTo })}`,
  applications: (search: Search = {}) => `/applications${searchText(search)}`,
  newApplication: () => "/applications/new",
  application: applicationPath,
  applicationTab: (app: AppRef, tab: ApplicationTab) =>
    applicationPath(app, { tab: tab === "tree" ? undefined : tab }),
  resource: (app: AppRef, resource: string, view?: string) => applicationPath(app, { resource, view }),
  syncDialog: (app: AppRef) => applicationPath(app, { dialog: "sync" }),
  rollbackDialog: (app: AppRef, id: number) =>
    applicationPath(app, { tab: "history", dialog: `rollback:${id}` }),
  deleteDialog: (app: AppRef) => applicationPath(app, { dialog: "delete" }),
  applicationSets: () => "/applicationsets",
  applicationSet: ({ namespace, name }: AppRef) =>
    `/applicationsets/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`,
  resources: (search: Search = {}) => `/resources${searchText(search)}`,
  repositories: () => "/repositories",
  clusters: () => "/clusters",
  projects: () => "/projects",
  project: (name: string) => `/projects/${encodeURIComponent(name)}`,
  plugins: () => "/plugins",
  settings: (part?: SettingsPart) => (part === undefined ? "/settings" : `/settings/${part}`),
} as const;
