import type { Script } from "../script.ts";

export const accounts: readonly Script[] = [
  {
    name: "accounts",
    steps: [
      "argocd account list",
      "argocd account list -o json",
      "argocd account list -o name",
      "argocd account get --account alice",
      "argocd account get --account alice -o yaml",
      "argocd account get",
      "argocd account get --account nobody",
      "argocd account get-user-info",
      "argocd account get-user-info -o yaml",
      "argocd account can-i get applications '*'",
      "argocd account can-i create clusters '*'",
      "argocd account can-i fly applications '*'",
      "argocd account can-i get rockets '*'",
    ],
  },
];
