import { createHmac } from "node:crypto";
import fc from "fast-check";
import OAuth from "oauth-1.0a";
import { expect, test } from "vitest";
import { baseString, signatureOf, signOAuth1 } from "./rest-oauth1.ts";

const consumer = { consumerKey: "dpf43f3p2l4k3l03", consumerSecret: "kd94hf93k423kf44" };

/** The fields of the examples in RFC 5849, which have no version. */
const fieldsOf = (timestamp: string, nonce: string, more: Record<string, string>) => ({
  oauth_consumer_key: consumer.consumerKey,
  oauth_signature_method: "HMAC-SHA1",
  oauth_timestamp: timestamp,
  oauth_nonce: nonce,
  ...more,
});

test("the base string of RFC 5849, section 3.4.1.1", () => {
  // The two parameters of the form are in the query here: they are normalised the same way.
  const url = new URL("http://EXAMPLE.COM:80/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b&c2&a3=2+q");
  const own = {
    oauth_consumer_key: "9djdj82h48djs9d2",
    oauth_token: "kkk9d7dh3k39sjv7",
    oauth_signature_method: "HMAC-SHA1",
    oauth_timestamp: "137131201",
    oauth_nonce: "7d8f3e4a",
  };
  expect(baseString("post", url, own)).toBe(
    "POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26c2%3D" +
      "%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1" +
      "%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7",
  );
});

test("the signatures of RFC 5849, section 1.2", () => {
  const sign = (request: string, own: Record<string, string>, tokenSecret = "") => {
    const [method, url] = request.split(" ") as [string, string];
    return signatureOf({ method, url: new URL(url) }, own, { ...consumer, tokenSecret }, "HMAC-SHA1");
  };
  const initiate = fieldsOf("137131200", "wIjqoS", { oauth_callback: "http://printer.example.com/ready" });
  expect(sign("POST https://photos.example.net/initiate", initiate)).toBe("74KNZJeDHnMBp0EMJ9ZHt/XKycU=");
  const token = fieldsOf("137131201", "walatlh", {
    oauth_token: "hh5s93j4hdidpola",
    oauth_verifier: "hfdp7dh39dks9884",
  });
  expect(sign("POST https://photos.example.net/token", token, "hdhd0244k9j7ao03")).toBe("gKgrFCywp7rO0OXSjdot/IHF7IU=");
  const photos = fieldsOf("137131202", "chapoH", { oauth_token: "nnch734d00sl2jdk" });
  const asked = "GET http://photos.example.net/photos?file=vacation.jpg&size=original";
  expect(sign(asked, photos, "pfkkdhi9sl3r4s00")).toBe("MdpQcU8iPSUjWoN/UDMsK2sui9I=");
});

test("a parameter may have any name, also one that plain objects lose", () => {
  const url = new URL("https://example.com/orders?__proto__=1&constructor=2");
  expect(baseString("GET", url, {})).toBe("GET&https%3A%2F%2Fexample.com%2Forders&__proto__%3D1%26constructor%3D2");
});

const word = fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" });
/** The other implementation keeps parameters in a plain object, which loses this one name. */
const parameterName = word.filter((text) => text !== "__proto__");

test("any request is signed as another implementation signs it", () => {
  const requests = fc.record({
    method: fc.constantFrom("GET", "POST", "PUT"),
    path: fc.array(fc.constantFrom("orders", "a b", "ä", "(1)", "x*y!'", "~."), { maxLength: 3 }),
    query: fc.uniqueArray(fc.tuple(parameterName, word), { maxLength: 4, selector: ([key]) => key }),
    consumer: fc.tuple(word, word),
    token: fc.tuple(word, word),
    hash: fc.constantFrom("HMAC-SHA256" as const, "HMAC-SHA1" as const),
    timestamp: fc.nat(),
    nonce: fc.uuid(),
  });
  fc.assert(
    fc.property(requests, ({ method, path, query, consumer: [key, secret], token, hash, timestamp, nonce }) => {
      const url = new URL(`https://1234567-sb1.example.com:8443/${path.map(encodeURIComponent).join("/")}`);
      for (const [name, value] of query) url.searchParams.append(name, value);
      const header = signOAuth1(
        { signatureMethod: hash, realm: "1234567_SB1" },
        { consumerKey: key, consumerSecret: secret, token: token[0], tokenSecret: token[1] },
        { method, url, timestamp, nonce },
      );
      const other = new OAuth({
        consumer: { key, secret },
        signature_method: hash,
        hash_function: (text, hmacKey) =>
          createHmac(hash === "HMAC-SHA1" ? "sha1" : "sha256", hmacKey)
            .update(text)
            .digest("base64"),
      });
      other.getTimeStamp = () => timestamp;
      other.getNonce = () => nonce;
      const bare = `${url.origin}${url.pathname}`;
      const expected = other.authorize(
        { url: bare, method, data: Object.fromEntries(query) },
        { key: token[0], secret: token[1] },
      );
      expect(decodeURIComponent(/oauth_signature="([^"]*)"/.exec(header)![1]!)).toBe(expected.oauth_signature);
      expect(header.startsWith('OAuth realm="1234567_SB1", oauth_consumer_key="')).toBe(true);
    }),
  );
});
