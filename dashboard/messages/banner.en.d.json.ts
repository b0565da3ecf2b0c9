declare const messages: {
  "signals": {
    "intro": "Other systems on your site learn the visitor’s choice. Google Consent Mode is always on. A signal doesn’t block a tag: where consent is needed before a tag runs, add a blocking rule too.",
    "docs": "Documentation of all signals",
    "targetsTitle": "Send the choice to",
    "targets": {
      "microsoftUet": "Microsoft Advertising",
      "microsoftClarity": "Microsoft Clarity",
      "metaPixel": "Meta pixel",
      "tiktokPixel": "TikTok pixel",
      "wpConsentApi": "WP Consent API",
      "shopify": "Shopify",
      "dataLayer": "Data layer"
    },
    "hints": {
      "microsoftUet": "UET stores ad cookies only with consent to marketing.",
      "microsoftClarity": "Clarity stores cookies only with consent to analytics, and ad cookies only with consent to marketing.",
      "metaPixel": "The pixel sends events only with consent to marketing.",
      "tiktokPixel": "The pixel sends events only with consent to marketing.",
      "wpConsentApi": "WordPress plugins that use this API follow the choice.",
      "shopify": "Shopify’s pixels and checkout follow the choice.",
      "dataLayer": "Tag managers get an event with the state of each category. Our Google Tag Manager template needs it."
    },
    "eventName": "Name of the event",
    "google": "Google’s options",
    "googleUrlPassthrough": "Pass ad clicks through addresses",
    "googleUrlPassthroughHint": "Without consent to marketing, Google adds ad clicks to the addresses of links (url_passthrough).",
    "googleAdsDataRedaction": "Redact ad data",
    "googleAdsDataRedactionHint": "Without consent to marketing, Google’s ad requests carry less data (ads_data_redaction).",
    "snippet": "Snippet for the page",
    "snippetText": "Paste it above the Microsoft tags. They read it while they load, before our script can reach them. Tags that wait for consent don’t need it.",
    "linkedIn": "LinkedIn’s Insight Tag has no consent signal. Add it under Common services to block it until consent.",
    "publisher": {
      "title": "Google’s ads need another consent platform",
      "text": "Found in the settings: {found}. For personalized ads of AdSense, Ad Manager, and AdMob in the European Economic Area, the United Kingdom, and Switzerland, Google requires a certified consent platform with IAB TCF. This service isn’t one, so Google shows only limited ads there.",
      "more": "What isn’t supported"
    },
    "fields": {
      "signals": "Signals",
      "dataLayerEvent": "Name of the event",
      "googleUrlPassthrough": "Pass ad clicks through addresses",
      "googleAdsDataRedaction": "Redact ad data"
    }
  },
  "rules": {
    "title": "Rules by region",
    "intro": "What holds before a visitor chooses. The first row that names the visitor’s region applies, so put states and provinces above their country. A visitor whose region is unknown counts as being in the European Economic Area.",
    "effects": {
      "opt_in": "off until the visitor opts in",
      "opt_out": "on until the visitor opts out",
      "notice": "on, and the banner only informs",
      "none": "on, without a banner"
    },
    "table": "Modes by region and category",
    "regions": "Regions",
    "notOffered": "not offered",
    "otherRegions": "All other regions",
    "noRegions": "No regions yet",
    "otherPart": "{country}: any other part",
    "unknownPart": "{country}: part unknown",
    "unknownParts": {
      "title": "Visits from {countries} arrive without a state or province.",
      "text": "Your rules differ within the country, so these visitors get the strictest of them. Let your CDN send the subdivision to use the exact rule.",
      "more": "How to send the subdivision"
    },
    "andMore": "{regions} and {count, number} more",
    "modeOf": "{category} in {regions}",
    "preview": "Preview {category} in {regions}",
    "previewTitle": "Preview",
    "previewed": "{category} in {regions}: {effect}.",
    "modeForAll": "{mode} for all categories",
    "modeFor": "{mode} for {categories}",
    "modeChange": "{category}: {before} → {after}.",
    "byHand": "Set by hand",
    "presetVersion": "{law} · version {version, number}",
    "presetSelect": "Preset",
    "presetOf": "Preset for {regions}",
    "presetHint": "A preset sets the modes of this row, and changes them on the day a law changes. Changing a mode by hand removes it.",
    "sources": "Sources",
    "reviewed": "Last reviewed on {day}.",
    "noAdvice": "Presets aren’t legal advice.",
    "from": "From {day}: {modes}",
    "signalComing": "Global Privacy Control must be honored.",
    "newVersion": "Version {version, number} is available.",
    "sameToday": "Today’s modes stay the same.",
    "useVersion": "Use version {version, number}",
    "honorSignal": "Honor GPC",
    "honorSignalIn": "Honor Global Privacy Control (GPC) in {regions}",
    "signalRequired": "Required by this law",
    "covered": "Rows above already name these regions, so no visitor gets this row.",
    "regionsOf": "Regions of rule {number, number}",
    "regionsHint": "Country codes such as DE, codes of states such as US-CA, or EU.",
    "editRegions": "Edit the regions of rule {number, number}",
    "moveUp": "Move rule {number, number} up",
    "moveDown": "Move rule {number, number} down",
    "remove": "Remove rule {number, number}",
    "add": "Add rule",
    "addPresets": "Add presets by law",
    "presetUpdates": "Update presets automatically",
    "presetUpdatesHint": "When we correct a preset, its new version applies without a save. Dated changes of the chosen version always apply on their day."
  },
  "serverHeader": {
    "title": "A header for your server",
    "text": "Only your site’s own HTML and server can guarantee that nothing is requested before consent. blocker.js stops most requests, but a browser may send some before the script runs.",
    "how": "Mark the tags in your HTML as waiting, or send this Content-Security-Policy header with every page to visitors who haven’t chosen yet. It is made from the published rules.",
    "first": "Add the other hosts that your pages need. Send it as Content-Security-Policy-Report-Only first to find missing ones. A scan shows whether your site blocks these hosts itself.",
    "header": "Content-Security-Policy before a choice",
    "after": "After a choice, add the sources of the allowed categories to both directives.",
    "sources": "Sources: {category}",
    "leftOut": "{count, plural, one {# rule has a path that a policy can’t express, or overlaps with another rule. The header allows nothing for it.} other {# rules have a path that a policy can’t express, or overlap with another rule. The header allows nothing for them.}}",
    "none": "Publish a blocking rule, and the header appears here."
  }
};

export default messages;
