declare const messages: {
  "install": {
    "scriptTag": "Script tag",
    "scriptTagText": "Paste it at the top of the '<head>' of every page.",
    "notPublished": "Nothing is published yet, so visitors don’t see a banner. Publish your banner first.",
    "check": "Check installation",
    "checkText": "Open your site. This page updates automatically.",
    "lastSeen": "Installed. Last seen",
    "lastSeenOn": "on {host}",
    "notDetected": "Not detected yet.",
    "guides": "Installation guides",
    "sample": "Code sample",
    "otherBanners": "Other banners",
    "guide": {
      "html": {
        "title": "HTML",
        "steps": {
          "1": "Open the template of your pages.",
          "2": "Paste the script tag right after '<head>'.",
          "3": "Publish the pages."
        }
      },
      "tagManager": {
        "title": "Tag Manager",
        "steps": {
          "1": "If you can edit your pages, use the HTML guide instead, and keep the script tag above the Tag Manager snippet. Only then is consent denied before any tag runs.",
          "2": "Otherwise, create a Custom HTML tag with the script tag, and choose the trigger “Consent Initialization – All Pages”. On the same trigger, set the default state to denied with a consent mode template from the template gallery.",
          "3": "Trigger tags that need consent by the custom event service_consent_update, with a consent check, and publish the container."
        },
        "note": "Tag Manager doesn’t wait for the script to load. Tags that fire before it has loaded don’t know the visitor’s choice: without a default state, Google’s tags treat consent as granted, and other tags simply run."
      },
      "wordpress": {
        "title": "WordPress",
        "steps": {
          "1": "Install a plugin that adds code to the '<head>', such as WPCode. Don’t edit the theme’s files: theme updates overwrite them.",
          "2": "In WPCode, open Code Snippets ▸ Header & Footer, and paste the script tag into Header.",
          "3": "Save, and clear the page cache. Exclude loader.js from delaying, deferring, and combining scripts."
        },
        "note": "Scripts that other plugins add keep running until you mark them for consent or let those plugins wait for it."
      },
      "shopify": {
        "title": "Shopify",
        "steps": {
          "1": "In the admin, open Online Store ▸ Themes, and choose Edit code from the theme’s menu.",
          "2": "Open layout/theme.liquid, and paste the script tag right after '<head>'.",
          "3": "Save. Repeat this when you switch themes."
        },
        "note": "Shopify doesn’t run theme code in the checkout, so neither the script nor the banner is there. Pixels that you add under Customer events follow Shopify’s own privacy settings, not this banner."
      },
      "wix": {
        "title": "Wix",
        "steps": {
          "1": "In the site’s dashboard, open Settings ▸ Custom Code. This requires a Premium plan and a connected domain.",
          "2": "Add custom code: paste the script tag, apply it to all pages, and place it in the head.",
          "3": "Choose the code type Essential, so that Wix doesn’t wait for consent before it loads the banner, and turn off Wix’s own cookie banner."
        },
        "note": "Wix adds its own scripts and marketing integrations without this script. Their cookies follow Wix’s settings, not this banner."
      },
      "nextjs": {
        "title": "Next.js",
        "steps": {
          "1": "Open app/layout.tsx.",
          "2": "Add the script tag to '<head>' as shown. A plain tag runs before the scripts of other providers.",
          "3": "Build and deploy."
        },
        "note": "For React components that follow consent, also in server-rendered HTML, install @service/consent-react; its README has the steps."
      },
      "csp": {
        "title": "Content Security Policy",
        "steps": {
          "1": "Add our origin to script-src and connect-src, and to img-src if your banner has a logo.",
          "2": "Keep the rest of your policy: nothing inline is required.",
          "3": "If it uses trusted-types, add serviceConsent."
        }
      },
      "own": {
        "title": "Your own banner",
        "steps": {
          "1": "Add the script tag to your pages.",
          "2": "Pass each choice to the loader as shown below. Categories you leave out count as denied.",
          "3": "Or start from one of these examples, if you use one of these banners."
        }
      }
    },
    "seen": {
      "withHost": "Installed. Latest record from {host}",
      "withoutHost": "Installed. Latest record"
    },
    "scriptSeen": "Script found. Last seen",
    "latest": {
      "withHost": "Latest record from {host}",
      "withoutHost": "Latest record"
    },
    "firstParty": {
      "title": "Your own host",
      "text": "Serve the script, banner and records from a path of your main host, so that browsers keep choices longer and no third party is involved.",
      "notSeen": "No requests through your host yet.",
      "proven": "Requests arrive through {host} at {path}, with a valid secret. Last seen",
      "unproven": "Requests arrive without a valid secret",
      "unprovenText": "We can’t tell your visitors apart: they share one rate limit and get the rules of an unknown region. Add the header X-Service-Proxy-Secret to your server’s configuration, as shown in the guide.",
      "secret": "Proxy secret",
      "secretOnce": "The guides below contain the secret now. Copy it: it won’t be shown again.",
      "formerUntil": "The old secret also works until",
      "create": "Create proxy secret",
      "rotate": "Rotate proxy secret",
      "endFormer": "Retire the old secret",
      "remove": "Remove proxy secret",
      "removeText": "Your visitors will share one rate limit and get the rules of an unknown region, effective within seconds.",
      "line": "Add a guide to your server, then use this script tag instead:",
      "lineLabel": "Script tag for your own host",
      "guides": "Server guides",
      "guideFor": "Guide for {server}"
    },
    "domains": {
      "title": "Custom domains",
      "text": "Serve the script, banner and records from a subdomain of yours, such as consent.example.com.",
      "none": "No custom domains yet.",
      "unavailable": "Custom domains aren’t set up on this server.",
      "full": "All {count, number} domains are used. Remove one to add another.",
      "add": "Add domain",
      "hostname": "Hostname",
      "hostnameHint": "A host below one of the project’s domains.",
      "state": {
        "pending": "Waiting for the DNS record",
        "verified": "Verified, no request yet",
        "active": "Active",
        "failing": "No longer verified",
        "suspended": "Suspended"
      },
      "ends": {
        "pending": "Removed if not verified by",
        "failing": "Suspended if not fixed by",
        "suspended": "It serves no banner. Removed if not fixed by"
      },
      "problem": {
        "no_record": "We found no record. A new one can take an hour to spread.",
        "address_record": "The host points to the address {found}. Replace its A and AAAA records with the CNAME below, or create the TXT record if it is an apex domain or behind a proxy.",
        "wrong_token": "The record is that of another project, or out of date: {found}. Replace it with the one below.",
        "other_target": "The host points to {found}. Replace that record with the CNAME below, or create the TXT record if the host is behind a proxy.",
        "resolvers_disagree": "Name servers return different records. The change is still spreading; we check again within the hour.",
        "resolvers_failed": "The name servers of this domain don’t answer. We check again within the hour.",
        "outside_project": "The host isn’t below one of the project’s domains anymore. Add its domain in Settings.",
        "claimed": "Another project serves this host, and its record still exists. Delete that record."
      },
      "create": "Create this record at your DNS provider:",
      "createTxt": "For an apex domain, or a host behind a proxy, create this one instead:",
      "recordType": "Type",
      "recordName": "Name",
      "recordValue": "Value",
      "checked": "Last checked",
      "check": "Check now",
      "certificate": {
        "first": "The certificate is requested with the first visit.",
        "asked": "Certificate requested",
        "used": "Certificate in use. Last request",
        "blocked": "No new certificate until a check succeeds."
      },
      "caa": "CAA records allow {issuers}.",
      "caaUnknown": "We could not read the CAA records. We read them again with the next check.",
      "caaNobody": "nobody",
      "caaForbids": "CAA records allow only {issuers}. Add a CAA record that allows {authority}, or no certificate can be issued.",
      "line": "Script tag for {host}",
      "remove": "Remove domain",
      "removeTitle": "Remove {host}",
      "removeText": "Within seconds the host serves no banner and stores no consent. Change the script tag of your pages first, then delete the DNS record."
    }
  }
};

export default messages;
