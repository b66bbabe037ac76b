import { productName } from "../ui/brand.tsx";

export const text = {
  brand: productName,
  away: "The hub does not answer. This page shows the last known data and reconnects when the hub is back.",
  outboundPaused:
    "Restored from a backup. Outbound work is paused: schedules, automations, tasks, webhooks, carriers and tracking. To resume, run: hub resume-outbound",
  signedOut: "Your session has ended. Sign in to continue; what you typed on this page is kept.",
  preview: {
    word: "PREVIEW",
    about: "Demo data. Nothing is sent to shops, carriers or customers.",
  },
  signIn: {
    title: "Sign in",
    email: "E-mail",
    password: "Password",
    submit: "Sign in",
    forgotten: "Forgot your password?",
    totp: "Code from your authenticator app, or a recovery code",
    totpHint: "This account uses two-step sign-in.",
    back: "Use another account",
    through: (issuer: string) => `Sign in with ${issuer}`,
    failed: "Sign-in failed",
    begin: "Back to sign-in",
    organization: "Organization",
    organizationHint: "Your account belongs to several organizations. Choose one.",
  },
  notFound: "Page not found",
  notFoundWhy: "Check the address, or search for the page or record with Ctrl K.",
  toOverview: "Go to Overview",
} as const;
