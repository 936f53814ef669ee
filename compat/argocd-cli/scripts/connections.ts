import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createSelfMadeCertificate } from "@capstan/testkit";
import type { Script } from "../script.ts";

const keys = join(import.meta.dirname, "../../../packages/servers/src/api/testdata");
const { certificate } = createSelfMadeCertificate(
  { commonName: "git.example.com", names: ["git.example.com"] },
  Date.now(),
);

export const repositories: readonly Script[] = [
  {
    name: "repositories",
    steps: [
      { run: "argocd repo list", compare: "lines" },
      "argocd repo add $GIT --name shop",
      "argocd repo add $GIT --name shop",
      "argocd repo add $GIT --name other --username u --password p",
      "argocd repo add $GIT --name other --upsert",
      { run: "argocd repo list", compare: "lines" },
      "argocd repo list -o url",
      "argocd repo list -o json",
      "argocd repo list -o yaml",
      "argocd repo list --refresh hard",
      "argocd repo get $GIT",
      "argocd repo get $GIT -o json",
      "argocd repo get $GIT -o url",
      "argocd repo get https://127.0.0.1:1/none.git",
      "argocd repo add https://127.0.0.1:1/none.git",
      "argocd repo add nonsense",
      "argocd repo add $CHARTS --type helm --name charts",
      "argocd repo add $CHARTS --type helm",
      "argocd repo add $CHARTS --type nonsense --name x",
      { run: "argocd repo list", compare: "lines" },
      "argocd repo rm $GIT $CHARTS",
      "argocd repo rm $GIT",
      { run: "argocd repo list", compare: "lines" },
      "argocd repo rm",
      "argocd repo add",
    ],
  },
  {
    name: "repository-credentials",
    steps: [
      { run: "argocd repocreds list", compare: "lines" },
      "argocd repocreds add https://git.example.com/ --username u --password p",
      "argocd repocreds add https://git.example.com/ --username u --password p",
      "argocd repocreds add https://git.example.com/ --username v --password q",
      "argocd repocreds add https://git.example.com/ --username v --password q --upsert",
      "argocd repocreds add git@git.example.com: --ssh-private-key-path key",
      "argocd repocreds add git@git.example.com: --ssh-private-key-path none",
      { run: "argocd repocreds list", compare: "lines" },
      { run: "argocd repocreds list -o url", compare: "lines" },
      { run: "argocd repocreds list -o json", compare: "lines" },
      { run: "argocd repocreds list -o yaml", compare: "lines" },
      "argocd repocreds rm https://git.example.com/",
      "argocd repocreds rm https://git.example.com/",
      "argocd repocreds rm git@git.example.com:",
      { run: "argocd repocreds list", compare: "lines" },
    ],
    files: { key: "not a key\n" },
  },
];

/** They rename the cluster that applications are deployed to, and back. */
export const clusters: readonly Script[] = [
  {
    name: "clusters",
    steps: [
      "argocd cluster list",
      "argocd cluster list -o server",
      "argocd cluster list -o json | grep -v -i 'version\\|count\\|Attempted'",
      "argocd cluster get https://kubernetes.default.svc | grep -v -i 'version\\|count\\|Attempted'",
      "argocd cluster get in-cluster -o json | grep -v -i 'version\\|count\\|Attempted'",
      "argocd cluster get none",
      "argocd cluster get https://127.0.0.1:1",
      "argocd cluster rm https://127.0.0.1:1 --yes",
      "argocd cluster rm none --yes",
      "argocd cluster set none --name other",
      "argocd cluster set in-cluster --name home",
      "argocd cluster list -o server",
      "argocd cluster set home --label team=a --annotation note=b --namespace x",
      "argocd cluster get home -o yaml | grep -v -i 'version\\|count\\|Attempted'",
      "argocd cluster set home --name in-cluster",
      "argocd cluster rotate-auth none",
      "argocd cluster rm in-cluster --yes",
      "argocd cluster list -o server",
    ],
  },
];

/** Certificates and keys. */
export const trust: readonly Script[] = [
  {
    name: "certificates",
    steps: [
      "argocd cert list",
      "argocd cert add-ssh --batch --from known_hosts",
      "argocd cert add-ssh --batch --from known_hosts",
      "argocd cert add-ssh --batch --from other_hosts",
      "argocd cert add-ssh --batch --from other_hosts --upsert",
      "argocd cert add-ssh --batch --from bad_hosts",
      "argocd cert add-tls git.example.com --from tls.crt",
      "argocd cert add-tls git.example.com --from bad_hosts",
      "argocd cert list",
      "argocd cert list --sort type",
      "argocd cert list --sort hostname",
      "argocd cert list --cert-type ssh",
      "argocd cert list --cert-type https",
      "argocd cert list --hostname-pattern 'git.*'",
      "argocd cert list -o json",
      "argocd cert list -o yaml",
      "argocd cert rm git.example.com --cert-type https",
      "argocd cert rm git.example.com",
      "argocd cert rm git.example.com",
      "argocd cert rm ssh.example.com --cert-type ssh --cert-sub-type ssh-ed25519",
      "argocd cert list",
    ],
    files: {
      known_hosts: [
        "git.example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl",
        "ssh.example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAfuCHKVTjquxvt6CM6tdG4SLp1Btn/nOeHHE5UOzRdf",
        "",
      ].join("\n"),
      other_hosts:
        "git.example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAfuCHKVTjquxvt6CM6tdG4SLp1Btn/nOeHHE5UOzRdf\n",
      bad_hosts: "nonsense\n",
      "tls.crt": certificate,
    },
  },
  {
    name: "keys",
    steps: [
      "argocd gpg list",
      "argocd gpg add --from key.asc",
      "argocd gpg list",
      "argocd gpg list -o json",
      "argocd gpg get 730F6259DE05774E",
      "argocd gpg get nonsense",
      "argocd gpg add --from nonsense.asc",
      "argocd gpg add --from none.asc",
      "argocd gpg rm 730F6259DE05774E",
      "argocd gpg rm 730F6259DE05774E",
      "argocd gpg list",
    ],
    files: { "nonsense.asc": "nonsense\n", "key.asc": readFileSync(join(keys, "ada.asc"), "utf8") },
  },
];
