import type { Script } from "../script.ts";

export const projects: readonly Script[] = [
  {
    name: "projects",
    steps: [
      "argocd proj create red --description 'the red team' -d https://kubernetes.default.svc,red -s $GIT",
      "argocd proj create red --description 'the red team'",
      "argocd proj create red --description 'changed' --upsert",
      "argocd proj get red",
      "argocd proj get red -o json",
      "argocd proj get missing",
      "argocd proj list",
      "argocd proj list -o name",
      "argocd proj add-source red https://git.example.com/red.git",
      "argocd proj add-source red https://git.example.com/red.git",
      "argocd proj remove-source red https://git.example.com/none.git",
      "argocd proj add-destination red https://kubernetes.default.svc red-two",
      "argocd proj get red -o yaml",
      "argocd proj delete red",
      "argocd proj delete red",
    ],
  },
];
