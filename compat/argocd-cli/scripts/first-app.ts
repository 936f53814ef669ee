import type { Script } from "../script.ts";

const destination = "--dest-server https://kubernetes.default.svc --dest-namespace default";

export const firstApp: readonly Script[] = [
  {
    name: "first-app",
    steps: [
      `argocd app create first --repo $GIT --path guestbook ${destination}`,
      "argocd app get first --refresh",
      { run: "argocd app sync first", from: "Operation:" },
      { run: "argocd app wait first --timeout 60", compare: "errors" },
      "argocd app get first",
      "argocd app list",
      "argocd app list -o name",
      "argocd app manifests first",
      "argocd app history first",
      "argocd app resources first",
      "argocd app diff first",
      "argocd app get missing",
      { run: "argocd app delete first --yes --wait", compare: "lines" },
      "argocd app list",
    ],
  },
];
