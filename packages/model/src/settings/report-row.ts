/** One thing that is set and not done, or of the whole table one that could be. */
export interface SettingsReportRow {
  /** "ConfigMap argocd-cm", "Application argocd/web"; of the whole table the kind of holder. */
  where: string;
  setting: string;
  /** `kept`: it cannot be read, and the value of before stays in force. */
  standing: "honoured" | "not honoured" | "unknown" | "unreadable" | "kept";
  /** Applications that it concerns are neither synced nor deleted. */
  blocks: boolean;
  /** What follows, and what to do. */
  note: string;
}
