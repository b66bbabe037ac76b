import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { passwordProblem } from "./password-rules.ts";

const owner = { email: "jo.smith@northwind.example", organization: "Northwind Traders" };
const codeOf = (password: string) => passwordProblem(password, owner, "/password")?.details.errors?.[0]?.code;

describe("guessable passwords (security 15)", () => {
  test.each([
    "1234567890",
    "0987654321",
    "password12",
    "Password123!",
    "P4ssw0rd2024",
    "qwertyuiop",
    "qwertz12345",
    "aaaaaaaaaaaa",
    "abababababab",
    "admin-admin-1",
    "Welcome2024!",
    "iloveyou1234",
    "testtest1234",
    "changeme!!!!",
  ])("%s is guessable", (password) => {
    expect(codeOf(password)).toBe("password_too_common");
  });

  test.each(["jo.smith2024", "JoSmith!!2024", "northwind1", "Northwind-Traders", "smith@northwind", "n0rthw1nd99"])(
    "%s contains parts of the account",
    (password) => {
      expect(codeOf(password)).toBe("password_from_account");
    },
  );

  test("a common word with any suffix and spelling is guessable", () => {
    const word = fc.constantFrom("password", "welcome", "dragon", "summer", "northwind", "smith");
    const tail = fc.stringMatching(/^[0-9!?.]{0,4}$/);
    fc.assert(
      fc.property(word, tail, fc.func(fc.boolean()), (plain, end, isUpper) => {
        const written = Array.from(plain, (sign, at) => (isUpper(at) ? sign.toUpperCase() : sign)).join("");
        expect(codeOf(written + end)).toBeDefined();
        expect(codeOf(end + written)).toBeDefined();
      }),
    );
  });
});

test.each(["correct horse battery", "a long passphrase", "five-minute-tour", "zK3vQx81LmPq", "grüne Äpfel im Regen"])(
  "%s is accepted",
  (password) => {
    expect(codeOf(password)).toBeUndefined();
  },
);
