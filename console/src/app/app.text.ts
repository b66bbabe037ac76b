export const text = {
  brand: "Order Operations",
  away: "The hub does not answer. What you see is what was known last; it is asked again by itself.",
  signedOut: "Your session has ended.",
  preview: { word: "PREVIEW", data: "test data", nothingLeaves: "nothing leaves this hub", frozen: "frozen", shifted: "shifted" },
  signIn: {
    title: "Sign in",
    email: "E-mail",
    password: "Password",
    submit: "Sign in",
    totp: "Code of your authenticator app, or a recovery code",
    totpHint: "The password was right. This account asks for a code too.",
    back: "Another account",
    organization: "Organization",
    organizationHint: "You belong to several. Which one?",
  },
  notFound: "There is no such page.",
  toOverview: "To the overview",
} as const;
