import type { Script } from "../script.ts";

const destination = "--dest-server https://kubernetes.default.svc --dest-namespace default";

export const syncs: readonly Script[] = [
  {
    name: "syncs",
    files: {
      "local/guestbook/config.yaml":
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: greeting\ndata:\n  key: local\n",
    },
    steps: [
      `argocd app create web --repo $GIT --path guestbook ${destination}`,
      { run: "argocd app sync web --dry-run", from: "Operation:", compare: "lines" },
      "argocd app history web",
      { run: "argocd app sync web --resource :ConfigMap:greeting", from: "Operation:", compare: "lines" },
      "argocd app sync web --resource nonsense",
      "argocd app sync web --resource apps:Deployment:none",
      {
        run: "argocd app sync web --prune --info 'why=because' --strategy apply",
        from: "Operation:",
        compare: "lines",
      },
      "argocd app get web --show-operation",
      { run: "argocd app sync web --revision next", from: "Operation:", compare: "lines" },
      "argocd app history web",
      "argocd app sync web --revision none",
      "argocd app diff web",
      "argocd app sync web --async",
      { run: "argocd app wait web --operation --timeout 60", compare: "errors" },
      { run: "argocd app sync web --force --replace", from: "Operation:", compare: "lines" },
      {
        run: "argocd app sync web --server-side --apply-out-of-sync-only",
        from: "Operation:",
        compare: "lines",
      },
      "argocd app history web -o id",
      { run: "argocd app rollback web 0", from: "Operation:", compare: "lines" },
      "argocd app rollback web 99",
      "argocd app terminate-op web",
      {
        run: "argocd app sync web --preview-changes --assumeYes | sed -n '/^=/,/^Name/p'",
        compare: "output",
      },
      "argocd app diff web --local local/guestbook",
      "argocd app diff web --local local --local-repo-root .",
      "argocd app diff web --local local --server-side-generate",
      { run: "argocd app sync web --local local/guestbook", from: "Operation:", compare: "lines" },
      "argocd app diff web --local local/guestbook",
      "argocd app manifests web --local local/guestbook",
      "argocd app sync -l team=none",
      "argocd app sync",
      "argocd app set web --sync-policy automated",
      "argocd app sync web --revision v1",
      "argocd app rollback web 0",
      "argocd app sync web --local local/guestbook",
      { run: "argocd app delete web --yes --wait --propagation-policy background", compare: "lines" },
      "argocd app wait web --delete --timeout 30",
    ],
  },
  {
    name: "objects",
    steps: [
      `argocd app create things --repo $GIT --path guestbook ${destination}`,
      { run: "argocd app sync things", from: "Operation:", compare: "lines" },
      { run: "argocd app wait things --timeout 60", compare: "errors" },
      { run: "argocd app actions list things", compare: "lines" },
      { run: "argocd app actions list things --kind Deployment", compare: "lines" },
      { run: "argocd app actions list things --kind ConfigMap -o json", compare: "lines" },
      { run: "argocd app actions list things --kind Deployment -o json", compare: "lines" },
      "argocd app actions run things restart --kind Deployment",
      "argocd app actions run things restart --kind Deployment --resource-name none",
      "argocd app actions run things nonsense --kind Deployment",
      "argocd app actions run things restart",
      { run: "argocd app get-resource things --kind ConfigMap", compare: "lines" },
      "argocd app get-resource things --kind ConfigMap -o json",
      "argocd app get-resource things --kind ConfigMap --filter-fields data -o yaml",
      "argocd app get-resource things --kind ConfigMap --resource-name none",
      "argocd app get-resource things --kind Deployment --filter-fields spec.replicas,metadata.name",
      `argocd app patch-resource things --kind ConfigMap --resource-name greeting --patch '{"data":{"more":"1"}}' --patch-type application/merge-patch+json`,
      `argocd app patch-resource things --kind ConfigMap --resource-name none --patch '{}' --patch-type application/merge-patch+json`,
      `argocd app patch-resource things --kind ConfigMap --resource-name greeting --patch 'x' --patch-type application/merge-patch+json`,
      "argocd app get-resource things --kind ConfigMap --filter-fields data -o yaml",
      { run: "argocd app logs things", compare: "code" },
      "argocd app logs things --kind ConfigMap",
      "argocd app logs missing",
      "argocd app delete-resource things --kind ConfigMap --resource-name greeting",
      "argocd app delete-resource things --kind ConfigMap --resource-name none",
      { run: "argocd app wait things --timeout 1", compare: "code" },
      "argocd app get things --refresh",
      "argocd app wait things --resource apps:Deployment:web --health --timeout 30 >/dev/null",
      "argocd app confirm-deletion things",
      { run: "argocd app delete things --yes --wait", compare: "lines" },
    ],
  },
  {
    name: "sources",
    steps: [
      `argocd app create two --file two.yaml`,
      "argocd app get two",
      "argocd app add-source two --repo $GIT --path chart --revision v1",
      "argocd app get two -o yaml | sed -n '/^spec/,/^status/p'",
      "argocd app set two --source-position 2 --revision next",
      "argocd app set two --source-position 9 --revision next",
      "argocd app manifests two --revisions v1 --source-positions 2",
      "argocd app remove-source two --source-position 3",
      "argocd app remove-source two --source-position 7",
      { run: "argocd app sync two", from: "Operation:", compare: "lines" },
      {
        run: "argocd app sync two --revisions v1 --source-positions 1",
        from: "Operation:",
        compare: "lines",
      },
      "argocd app history two",
      { run: "argocd app delete two --yes --wait", compare: "lines" },
      `argocd app create charted --repo $GIT --path chart ${destination} --helm-set text=there --values values.yaml`,
      "argocd app get charted --show-params",
      "argocd app manifests charted",
      "argocd app set charted --helm-set replicas=3 --release-name other -p text=here",
      "argocd app manifests charted",
      "argocd app unset charted -p text --values values.yaml",
      "argocd app get charted -o yaml | sed -n '/^spec/,/^status/p'",
      { run: "argocd app sync charted", from: "Operation:", compare: "lines" },
      { run: "argocd app delete charted --yes --wait", compare: "lines" },
      `argocd app create pulled --repo $CHARTS --helm-chart plain --revision 1.0.0 ${destination}`,
      `argocd app create pulled --repo $CHARTS --helm-chart plain --revision 9.9.9 ${destination} --upsert`,
      { run: "argocd app delete pulled --yes --wait", compare: "lines" },
    ],
    files: {
      "two.yaml": `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: two
spec:
  project: default
  sources:
  - {repoURL: $GIT, path: guestbook}
  - {repoURL: $GIT, path: second}
  destination: {server: https://kubernetes.default.svc, namespace: default}
`,
    },
  },
];
