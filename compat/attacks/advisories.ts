/** A published advisory whose class applies to what Capstan does. */
export interface Advisory {
  readonly id: string;
  readonly project: "Argo CD" | "Flux" | "Helm" | "git" | "other";
  /** What went wrong there, in a few words. */
  readonly problem: string;
  /** Why nothing in Capstan can be attacked so; absent where attacks name the advisory. */
  readonly notHere?: string;
}

const argoCD: readonly [string, string, string?][] = [
  ["CVE-2020-8827", "any number of passwords could be tried"],
  ["CVE-2020-11576", "answers told which accounts exist"],
  ["CVE-2022-24348", "value files of a chart led outside the repository"],
  ["CVE-2022-24730", "value files of a chart gave files of the repo server to a logged-in account"],
  ["CVE-2022-24731", "files of the repo server through crafted kustomize and chart references"],
  ["CVE-2022-24768", "an account changed what it could only read"],
  ["CVE-2022-24904", "links in a directory source were followed out of the repository"],
  [
    "CVE-2022-24905",
    "any text could be shown on the login page",
    "the login page shows no text of its address",
  ],
  ["CVE-2022-29165", "a made-up token was taken where anonymous access was on"],
  ["CVE-2022-31016", "a manifest of gigabytes exhausted the repo server"],
  [
    "CVE-2022-31034",
    "guessable random numbers in the login",
    "state, nonce and PKCE verifier of a login are 32 bytes each of node:crypto's randomBytes",
  ],
  ["CVE-2022-31035", "javascript: in an application's external links"],
  ["CVE-2022-31036", "a value file that is a link out of the repository"],
  ["CVE-2022-31102", "script in the single sign-on's callback"],
  ["CVE-2022-31105", "the identity provider's certificate was not checked"],
  ["CVE-2022-41354", "answers told which applications exist"],
  ["CVE-2023-22482", "tokens for another audience were taken"],
  ["CVE-2023-22736", "applications outside the allowed namespaces were reconciled"],
  ["CVE-2023-23947", "a cluster was changed by rights on another one"],
  ["CVE-2023-25163", "an error message showed a repository's password"],
  ["CVE-2023-40025", "a terminal outlived its session", "there is no terminal yet"],
  ["CVE-2023-40026", "value files of another tenant's chart on the same repo server"],
  ["CVE-2023-40029", "a cluster's credentials in an annotation, shown by the API"],
  ["CVE-2023-40584", "an archive unpacked to any size"],
  ["CVE-2023-50726", "local manifests were synced without the right"],
  ["CVE-2024-21652", "the count of failed logins was lost when the process ended"],
  ["CVE-2024-21661", "parallel failed logins brought the server down"],
  ["CVE-2024-21662", "many made-up accounts pushed the counts of failed logins out"],
  ["CVE-2024-22424", "another site's page sent requests with the person's cookie"],
  ["CVE-2024-28175", "script in a link of an application"],
  ["CVE-2024-29893", "a Helm repository's answer without end exhausted the repo server"],
  [
    "CVE-2024-31989",
    "the cache was open to every Pod",
    "there is no shared cache; what rests on disk is the owner's alone",
  ],
  ["CVE-2024-31990", "a project's source namespaces were not asked by the API"],
  ["CVE-2024-32476", "a jq expression of ignoreDifferences exhausted the controller"],
  ["CVE-2024-36106", "answers told which clusters exist"],
  ["CVE-2024-37152", "settings were shown without an account"],
  ["CVE-2024-40634", "a webhook of any size exhausted the server without an account"],
  ["CVE-2024-41666", "a terminal outlived the right to it", "there is no terminal yet"],
  ["CVE-2025-23216", "an error of a patch showed a Secret's values"],
  ["CVE-2025-47933", "script in a repository's address"],
  ["CVE-2025-55190", "a project's details showed repository credentials"],
  ["CVE-2025-55191", "parallel changes of credentials brought the repo server down"],
  ["CVE-2025-59531", "a webhook with a field of another type brought the server down"],
  ["CVE-2025-59537", "a webhook without its commits brought the server down"],
  ["CVE-2025-59538", "a webhook with an empty list brought the server down"],
  ["CVE-2026-42880", "a server-side diff showed a Secret's values"],
];

const flux: readonly [string, string, string?][] = [
  [
    "CVE-2021-41254",
    "a Secret's name ran as a shell command",
    "no text of a tenant becomes words of a shell; plugins get it as variables",
  ],
  ["CVE-2022-24817", "a kubeconfig of a tenant ran a program"],
  ["CVE-2022-24877", "a kustomization read files of the controller by its path"],
  ["CVE-2022-24878", "a kustomization that names its own parent never ended"],
  [
    "CVE-2022-36035",
    "the command line wrote outside the folder that it was given",
    "the command line writes files of a repository nowhere but through the rooted door",
  ],
  ["CVE-2022-36049", "a Helm repository's index exhausted the controller"],
  ["CVE-2022-39272", "a duration that cannot be read stopped every reconcile"],
  [
    "CVE-2024-31216",
    "a storage account's credentials were logged",
    "no store's credentials are logged: messages and log lines pass one function",
  ],
];

const helm: readonly [string, string, string?][] = [
  ["CVE-2019-18658", "links in a chart showed files of the machine"],
  ["CVE-2020-15186", "a plugin's name was a path", "plugins of Helm are the operator's"],
  ["CVE-2021-32690", "a repository's password went to the host of a chart elsewhere"],
  ["CVE-2022-23524", "--set with a huge index took all memory"],
  ["CVE-2022-23525", "an index with an empty entry ended the program"],
  ["CVE-2022-23526", "a schema of values ended the program"],
  ["CVE-2023-25165", "a template looked names up in DNS and so told values"],
  ["CVE-2024-25620", "a chart's name was a path"],
  ["CVE-2024-26147", "an index without metadata ended the program"],
  ["CVE-2025-32386", "an archive unpacked to any size"],
  ["CVE-2025-32387", "a schema nested without end"],
  ["CVE-2025-53547", "Chart.lock was a link, and an update wrote through it"],
  ["CVE-2025-55198", "Chart.yaml with fields of other types ended the program"],
  ["CVE-2025-55199", "a schema took all memory"],
];

const git: readonly [string, string, string?][] = [
  ["CVE-2017-1000117", "a host that begins with - was an option of ssh"],
  ["CVE-2018-11235", "a submodule's name was a path"],
  ["CVE-2018-17456", "a submodule's address that begins with - was an option"],
  ["CVE-2021-21300", "a checkout wrote through a link whose name differs by case"],
  ["CVE-2022-24765", "another user's configuration was read above the folder"],
  ["CVE-2022-39253", "a clone of a local folder followed links in its objects"],
  [
    "CVE-2022-41903",
    "attributes of a commit overflowed a number",
    "no format of git's takes a tenant's text",
  ],
  ["CVE-2023-22490", "a clone over another transport read local files"],
  ["CVE-2023-49569", "paths in a repository led outside (go-git)"],
  [
    "CVE-2023-49568",
    "a server's answers without end (go-git)",
    "git's own program speaks with servers, in a process with limits of time and bytes",
  ],
  ["CVE-2024-32002", "a submodule's link wrote into .git and ran a hook"],
  ["CVE-2014-9390", "a folder .GIT was taken for git's own where case does not count"],
  ["CVE-2024-50349", "escape codes in an address deceived who was asked for a password"],
  ["CVE-2024-52006", "a carriage return in an address changed whose password was asked for"],
  ["CVE-2025-48384", "a carriage return at the end of a submodule's path"],
];

const others: readonly [string, string, string?][] = [
  ["CVE-2007-6750", "Apache httpd: connections were held open by headers that never end"],
  ["CVE-2021-25743", "kubectl: control codes in objects reached the terminal"],
  ["CVE-2007-4559", "an archive's entries were written outside by .. and links (Python tarfile)"],
  ["CVE-2021-32803", "an archive's links were written through (node-tar)"],
  ["CVE-2019-5736", "a container's process overwrote the program that had started it (runc)"],
  ["CVE-2022-0492", "a process in a namespace of its own escaped by cgroups (Linux)"],
  ["CVE-2019-11253", "YAML aliases expanded without end (kube-apiserver)"],
  [
    "CVE-2021-41190",
    "an OCI answer read as another type than it says",
    "what an OCI answer is goes by the type that was asked for",
  ],
];

const listed = (
  project: Advisory["project"],
  rows: readonly (readonly [string, string, string?])[],
): Advisory[] =>
  rows.map(([id, problem, notHere]) => ({ id, project, problem, ...(notHere ? { notHere } : {}) }));

/** As far as known in November 2026; a new one is a line here and an attack, or the reason why there can be none. */
export const advisories: readonly Advisory[] = [
  ...listed("Argo CD", argoCD),
  ...listed("Flux", flux),
  ...listed("Helm", helm),
  ...listed("git", git),
  ...listed("other", others),
];
