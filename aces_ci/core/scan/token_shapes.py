# ruff: noqa: E501 - a table, one provider a row
"""Shapes of providers' tokens, as their makers document or print them."""

from __future__ import annotations

from dataclasses import dataclass

from aces_ci.core.finding import Confidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """One provider's token. `pattern` is RE2; its group 1 is the secret part that must look random."""

    provider: str
    pattern: str
    entropy: float = 3.0
    """Bits per character that the secret part must reach (Shannon, over its own characters)."""
    confidence: Confidence = Confidence.HIGH
    markers: tuple[str, ...] = ()
    """Lower-case texts of which one must occur in the file for the pattern to be tried; () tries always."""


def _s(
    provider: str, pattern: str, *markers: str, entropy: float = 3.0, confidence: Confidence = Confidence.HIGH
) -> Shape:
    return Shape(provider=provider, pattern=pattern, entropy=entropy, confidence=confidence, markers=markers)


_M = Confidence.MEDIUM
_L = Confidence.LOW

SHAPES: tuple[Shape, ...] = (
    # model providers
    _s("Anthropic", r"\bsk-ant-(?:api|admin|oat|ort|sid)\d\d-([\w-]{60,})", "sk-ant-", entropy=3.5),
    _s("OpenAI", r"\bsk-(?:proj|svcacct|admin|None)-([\w-]{40,})", "sk-", entropy=3.5),
    _s("OpenAI", r"\bsk-([A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20})\b", "t3blbkfj"),
    _s("OpenRouter", r"\bsk-or-v1-([0-9a-f]{64})\b", "sk-or-"),
    _s("API key with the prefix sk-", r"\bsk-([A-Za-z0-9]{32,64})\b", "sk-", entropy=3.5, confidence=_M),
    _s("Google API", r"\b(AIza[\w-]{35})\b", "aiza", entropy=3.5),
    _s("Google OAuth", r"\bGOCSPX-([\w-]{28})\b", "gocspx-"),
    _s("Google OAuth", r"\bya29\.([\w-]{30,})", "ya29.", entropy=3.5),
    _s("Hugging Face", r"\b(?:hf|api_org)_([A-Za-z0-9]{34,})\b", "hf_", "api_org_", entropy=3.5),
    _s("NVIDIA", r"\bnvapi-([\w-]{60,})", "nvapi-", entropy=3.5),
    _s("Groq", r"\bgsk_([A-Za-z0-9]{48,})\b", "gsk_", entropy=3.5),
    _s("xAI", r"\bxai-([A-Za-z0-9]{70,})\b", "xai-", entropy=3.5),
    _s("Perplexity", r"\bpplx-([A-Za-z0-9]{40,})\b", "pplx-", entropy=3.5),
    _s("Replicate", r"\br8_([A-Za-z0-9]{37})\b", "r8_", entropy=3.5),
    _s("Fireworks", r"\bfw_([A-Za-z0-9]{22,})\b", "fw_", entropy=3.5, confidence=_M),
    _s("Tavily", r"\btvly-(?:dev-|prod-)?([A-Za-z0-9]{32,})\b", "tvly-", entropy=3.5),
    _s("Firecrawl", r"\bfc-([0-9a-f]{32})\b", "fc-"),
    _s("LangSmith", r"\blsv2_(?:pt|sk)_([0-9a-f]{32}_[0-9a-f]{10})\b", "lsv2_"),
    _s("Langfuse", r"\bsk-lf-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b", "sk-lf-"),
    _s("ElevenLabs", r"\bsk_([0-9a-f]{48})\b", "sk_"),
    # code hosts and registries
    _s("GitHub", r"\b(?:ghp|gho|ghu|ghs|ghr)_([A-Za-z0-9]{36,255})\b", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", entropy=3.5),
    _s("GitHub", r"\bgithub_pat_([A-Za-z0-9]{22}_[A-Za-z0-9]{59})\b", "github_pat_", entropy=3.5),
    _s("GitLab", r"\b(?:glpat|gldt|glrt|glcbt|glptt|glft|glimt|glagent|gloas|glsoat|glffct|GR1348941)-?([\w-]{20,})", "gl", "gr1348941", entropy=3.3),
    _s("Bitbucket", r"\bATBB([A-Za-z0-9]{32})\b", "atbb", entropy=3.5),
    _s("Atlassian", r"\b(ATATT3[\w=-]{100,})", "atatt3", entropy=3.5),
    _s("npm", r"\bnpm_([A-Za-z0-9]{36})\b", "npm_", entropy=3.5),
    _s("npm", r"(?i)_authToken\s*=\s*(?:npm_)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b", "_authtoken"),
    _s("PyPI", r"\bpypi-(AgEIcHlwaS5vcmc[\w-]{50,}|AgENdGVzdC5weXBpLm9yZw[\w-]{50,})", "pypi-", entropy=3.5),
    _s("crates.io", r"\bcio([A-Za-z0-9]{32})\b", "cio", entropy=3.8),
    _s("RubyGems", r"\brubygems_([0-9a-f]{48})\b", "rubygems_"),
    _s("Docker Hub", r"\bdckr_(?:pat|oat)_([\w-]{27,})", "dckr_", entropy=3.5),
    _s("Artifactory", r"\b(AKC[A-Za-z0-9]{70,}|AP[\dABCDEF][A-Za-z0-9]{64,})\b", "akc", "ap", entropy=3.8),
    _s("Clojars", r"\bCLOJARS_([a-z0-9]{60})\b", "clojars_"),
    # clouds
    _s("AWS", r"\b((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})\b", "akia", "asia", "abia", "acca"),
    _s("AWS secret", r"(?i)aws.{0,20}?(?:secret|key|pw|password).{0,20}?['\"= "
        r":]([0-9a-zA-Z/+]{40})(?:[^0-9a-zA-Z/+=]|$)", "aws", entropy=4.2),
    _s("Azure storage", r"(?i)AccountKey=([A-Za-z0-9+/]{86}==)", "accountkey", entropy=4.0),
    _s("Azure SAS", r"(?i)[?&]sig=([A-Za-z0-9%+/]{43,}(?:%3D|=))", "sig=", entropy=3.8),
    _s("Azure AD", r"\b([A-Za-z0-9_~.]{3}8Q~[A-Za-z0-9_~.-]{34})", "8q~", entropy=3.8),
    _s("IBM Cloud", r"(?i)(?:ibm|iam|cloud)[\w-]*(?:api)?[_-]?key['\"]?\s*[:=]+\s*['\"]?([\w-]{44})\b", "ibm", "iam", entropy=4.0, confidence=_M),
    _s("IBM Cloudant", r"https?://[\w-]+:([0-9a-f]{64}|[a-z]{24})@[\w-]+\.cloudant\.com", "cloudant"),
    _s("DigitalOcean", r"\bdo[opr]_v1_([0-9a-f]{64})\b", "_v1_"),
    _s("Heroku", r"\bHRKU-([\w-]{36,})", "hrku-"),
    _s("Fly.io", r"\b(?:FlyV1\s+fm\d|fo1|fm\dr?)_([\w+/=-]{40,})", "fo1_", "flyv1", "fm1", "fm2", entropy=3.8),
    _s("Cloudflare", r"(?i)cloudflare[\w-]*(?:token|key)['\"]?\s*[:=]\s*['\"]?([\w-]{37,40})\b", "cloudflare", entropy=3.8, confidence=_M),
    _s("Cloudflare origin CA", r"\b(v1\.0-[0-9a-f]{24}-[0-9a-f]{146})\b", "v1.0-"),
    _s("Vercel", r"\bvercel_blob_rw_([A-Za-z0-9]{16,}_[A-Za-z0-9]{24,})", "vercel_blob_rw_", entropy=3.5),
    _s("Netlify", r"\bnfp_([A-Za-z0-9]{36})\b", "nfp_", entropy=3.5),
    _s("Supabase", r"\bsbp_([0-9a-f]{40})\b", "sbp_"),
    _s("Supabase", r"\bsb_secret_([\w-]{28,})", "sb_secret_", entropy=3.3),
    _s("PlanetScale", r"\bpscale_(?:tkn|pw|oauth)_([\w.=-]{32,})", "pscale_", entropy=3.5),
    _s("Databricks", r"\bdapi([0-9a-f]{32}(?:-\d)?)\b", "dapi"),
    _s("Terraform Cloud", r"\b([A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,})", "atlasv1", entropy=3.8),
    _s("HashiCorp Vault", r"\bhv[sbr]\.([\w-]{24,})", "hvs.", "hvb.", "hvr.", entropy=3.5),
    _s("Doppler", r"\bdp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]+\.)?([A-Za-z0-9]{40,})\b", "dp.", entropy=3.5),
    _s("1Password", r"\bops_(eyJ[\w-]{200,}={0,2})", "ops_ey", entropy=3.5),
    _s("Pulumi", r"\bpul-([0-9a-f]{40})\b", "pul-"),
    _s("SoftLayer", r"(?i)(?:softlayer|\bsl)[_-]?(?:api)?[_-]?key['\"]?\s*[:=]+\s*['\"]?([a-z0-9]{64})\b", "softlayer", "sl_", "slapi", "sl-"),
    # messages and mail
    _s("Slack", r"\b(xox[abeoprs]-(?:\d+-)+[\w-]{10,})", "xox", entropy=3.0),
    _s("Slack", r"\b(xapp-\d-[A-Z0-9]+-\d+-[0-9a-f]{32,})\b", "xapp-"),
    _s("Slack webhook", r"https://hooks\.slack\.com/(?:services|workflows|triggers)/(T\w{8,}/[AB]?\w{8,}/\w{20,})", "hooks.slack.com"),
    _s("Discord webhook", r"https://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/(\d{17,20}/[\w-]{60,})", "/api/webhooks/", entropy=3.5),
    _s("Discord bot", r"\b([MNO][A-Za-z0-9_-]{23,25}\.[\w-]{6}\.[\w-]{27,38})\b", entropy=4.0),
    _s("Teams webhook", r"https://[\w-]+\.webhook\.office\.com/webhookb2/([0-9a-f-]{36}@[0-9a-f-]{36}/IncomingWebho"
        r"ok/[0-9a-f]{32})", "webhook.office.com"),
    _s("Telegram bot", r"\b(\d{8,10}:A[A-Za-z0-9_-]{34})\b", ":a", entropy=4.0),
    _s("Twilio", r"\b(?:SK|AC)([0-9a-f]{32})\b", "sk", "ac", confidence=_M),
    _s("SendGrid", r"\bSG\.([\w-]{22}\.[\w-]{43})\b", "sg.", entropy=3.8),
    _s("Mailgun", r"\bkey-([0-9a-f]{32})\b", "key-", confidence=_M),
    _s("Mailchimp", r"\b([0-9a-f]{32}-us\d{1,2})\b", "-us"),
    _s("Brevo", r"\bxkeysib-([0-9a-f]{64}-[A-Za-z0-9]{16})\b", "xkeysib-"),
    _s("Resend", r"\bre_([A-Za-z0-9]{8}_[A-Za-z0-9]{24})\b", "re_", entropy=3.8),
    _s("Postmark", r"(?i)postmark[\w-]*(?:token|key)['\"]?\s*[:=]\s*['\"]?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{"
        r"12})", "postmark", confidence=_M),
    # money and shops
    _s("Stripe", r"\b[sr]k_live_([A-Za-z0-9]{16,})\b", "k_live_", entropy=3.3),
    _s("Stripe test", r"\b[sr]k_test_([A-Za-z0-9]{16,})\b", "k_test_", entropy=3.3, confidence=_L),
    _s("Stripe webhook", r"\bwhsec_([A-Za-z0-9+/=]{32,})", "whsec_", entropy=3.5, confidence=_M),
    _s("Square", r"\b(sq0(?:csp|atp|idp)-[\w-]{22,43})", "sq0", entropy=3.3),
    _s("Square", r"\b(EAAA[\w-]{60})\b", "eaaa", entropy=3.8),
    _s("Shopify", r"\bshp(?:at|ss|ca|pa|tka)_([0-9a-fA-F]{32})\b", "shp"),
    _s("Braintree", r"\baccess_token\$production\$([0-9a-z]{16}\$[0-9a-f]{32})\b", "access_token$"),
    _s("Plaid", r"\baccess-(?:sandbox|development|production)-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})", "access-", confidence=_M),
    # tools
    _s("Linear", r"\blin_(?:api|oauth)_([A-Za-z0-9]{40,})\b", "lin_", entropy=3.5),
    _s("Notion", r"\b(?:ntn_|secret_)([A-Za-z0-9]{43,46})\b", "ntn_", "secret_", entropy=3.8),
    _s("Figma", r"\bfig[dou]r?_([\w-]{40,})", "fig", entropy=3.5),
    _s("Postman", r"\bPMAK-([0-9a-f]{24}-[0-9a-f]{34})\b", "pmak-"),
    _s("Airtable", r"\b(pat[A-Za-z0-9]{14}\.[0-9a-f]{64})\b", "pat"),
    _s("Asana", r"\b([12]/\d{13,}(?:/\d{13,})?:[0-9a-f]{32})\b", ":"),
    _s("Dropbox", r"\bsl\.([A-Za-z0-9_-]{130,})", "sl.", entropy=3.8),
    _s("New Relic", r"\bNR(?:AK|RA|II|JS)-([A-Za-z0-9]{24,32})\b", "nr", entropy=3.3),
    _s("Sentry", r"\bsntrys_(eyJ[\w+/=-]{80,})", "sntrys_", entropy=3.5),
    _s("Sentry", r"\bsntryu_([0-9a-f]{64})\b", "sntryu_"),
    _s("Grafana", r"\bgl(?:sa|c)_([A-Za-z0-9+/=_]{32,})", "glsa_", "glc_", entropy=3.5),
    _s("Datadog", r"(?i)(?:datadog|dd)[_-]?(?:api|app|application)[_-]?key['\"]?\s*[:=]\s*['\"]?([0-9a-f]{40}|"
        r"[0-9a-f]{32})\b", "dd", "datadog", confidence=_M),
    _s("PostHog", r"\bphx_([A-Za-z0-9]{40,})\b", "phx_", entropy=3.5),
    _s("Dynatrace", r"\bdt0[a-z]\d\d\.([A-Z0-9]{24}\.[A-Z0-9]{64})\b", "dt0"),
    _s("Contentful", r"\bCFPAT-([\w-]{43})\b", "cfpat-", entropy=3.5),
    _s("CircleCI", r"\bCCIPAT_([A-Za-z0-9]{22}_[0-9a-f]{40})\b", "ccipat_"),
    _s("Buildkite", r"\bbkua_([0-9a-f]{40})\b", "bkua_"),
    _s("Okta", r"(?i)okta[\w-]*['\"]?\s*[:=]\s*['\"]?(00[\w-]{40})\b", "okta", entropy=3.8),
    _s("Typeform", r"\btfp_([A-Za-z0-9_]{40,60})\b", "tfp_", entropy=3.5),
    _s("Adafruit", r"\baio_([A-Za-z0-9]{28})\b", "aio_", entropy=3.5),
    _s("Flutterwave", r"\bFLWSECK-([0-9a-fA-F]{32}-X)\b", "flwseck-"),
    _s("Age", r"\bAGE-SECRET-KEY-1([QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58})\b", "age-secret-key-"),
    # further model and search providers
    _s("Pinecone", r"\bpcsk_([A-Za-z0-9]{5,8}_[A-Za-z0-9]{40,})\b", "pcsk_", entropy=3.8),
    _s("Jina", r"\bjina_([A-Za-z0-9_-]{60,})", "jina_", entropy=3.8),
    _s("Voyage", r"\bpa-([A-Za-z0-9_-]{43})\b", "pa-", entropy=4.2, confidence=_M),
    _s("Cerebras", r"\bcsk-([a-z0-9]{48})\b", "csk-", entropy=3.8),
    _s("Apify", r"\bapify_api_([A-Za-z0-9]{36})\b", "apify_api_", entropy=3.8),
    _s("E2B", r"\be2b_([0-9a-f]{40})\b", "e2b_"),
    _s("Weights & Biases", r"(?i)wandb[\w-]*(?:key|token)['\"]?\s*[:=]\s*['\"]?([0-9a-f]{40})\b", "wandb", confidence=_M),
    _s("Deepgram", r"(?i)deepgram[\w-]*(?:key|token)['\"]?\s*[:=]\s*['\"]?([0-9a-f]{40})\b", "deepgram", confidence=_M),
    _s("Cohere", r"(?i)cohere[\w-]*(?:key|token)['\"]?\s*[:=]\s*['\"]?([A-Za-z0-9]{40})\b", "cohere", entropy=3.8, confidence=_M),
    _s("Mistral", r"(?i)mistral[\w-]*(?:key|token)['\"]?\s*[:=]\s*['\"]?([A-Za-z0-9]{32})\b", "mistral", entropy=3.8, confidence=_M),
    # further clouds and hosts
    _s("Alibaba Cloud", r"\b(LTAI[A-Za-z0-9]{17,21})\b", "ltai", entropy=3.5),
    _s("Tencent Cloud", r"\b(AKID[A-Za-z0-9]{32})\b", "akid", entropy=3.8),
    _s("Yandex Cloud", r"\b(AQVN[\w-]{35,38})\b", "aqvn", entropy=3.8),
    _s("Scaleway", r"\b(SCW[A-Z0-9]{17})\b", "scw", entropy=3.3),
    _s("Neon", r"\bnapi_([a-z0-9]{64})\b", "napi_", entropy=3.8),
    _s("Render", r"\brnd_([A-Za-z0-9]{28,32})\b", "rnd_", entropy=3.8),
    _s("Prefect", r"\bpnu_([A-Za-z0-9]{36})\b", "pnu_", entropy=3.8),
    _s("Sonar", r"\bsq[apu]_([0-9a-f]{40})\b", "sqa_", "sqp_", "squ_"),
    _s("Sourcegraph", r"\bsgp_((?:[0-9a-f]{16}_)?[0-9a-f]{40})\b", "sgp_"),
    _s("NuGet", r"\b(oy2[a-z0-9]{43})\b", "oy2", entropy=3.8),
    _s("JFrog reference", r"\b(cmVmdGtu[A-Za-z0-9]{56})\b", "cmvmdgtu", entropy=3.8),
    _s("Infracost", r"\bico-([A-Za-z0-9]{32})\b", "ico-", entropy=3.8),
    _s("Snyk", r"(?i)snyk[\w-]*(?:token|key)['\"]?\s*[:=]\s*['\"]?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b", "snyk", confidence=_M),
    _s("Octopus Deploy", r"\bAPI-([A-Z0-9]{26})\b", "api-", entropy=3.5, confidence=_M),
    # further services
    _s("HubSpot", r"\bpat-(?:na|eu|ap)\d-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b", "pat-"),
    _s("Mapbox", r"\bsk\.(eyJ[\w-]{60,}\.[\w-]{20,})", "sk.eyj", entropy=3.8),
    _s("Facebook", r"\b(EAA[A-Za-z0-9]{100,})\b", "eaa", entropy=4.0),
    _s("Twitter", r"\bA{20}([B-Za-z0-9%][A-Za-z0-9%]{60,})", "aaaaaaaaaaaaaaaaaaaa", entropy=3.5),
    _s("Zapier webhook", r"https://hooks\.zapier\.com/hooks/catch/(\d{5,}/\w{6,})", "hooks.zapier.com", entropy=2.5, confidence=_M),
    _s("EasyPost", r"\bEZ[AT]K([A-Za-z0-9]{54})\b", "ezak", "eztk", entropy=3.8),
    _s("Shippo", r"\bshippo_(?:live|test)_([0-9a-f]{40})\b", "shippo_"),
    _s("Duffel", r"\bduffel_(?:live|test)_([\w-]{43})\b", "duffel_", entropy=3.8),
    _s("ReadMe", r"\brdme_([a-z0-9]{70})\b", "rdme_", entropy=3.8),
    _s("ClickUp", r"\bpk_(\d{5,}_[A-Z0-9]{32})\b", "pk_", entropy=3.3),
    _s("LaunchDarkly", r"\b(?:api|sdk)-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b", "api-", "sdk-", confidence=_M),
    _s("MaxMind", r"\b([A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)\b", "_mmk", entropy=3.8),
    # general shapes
    _s("private key", r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: "
        r"BLOCK)?-----\s*((?:[\w-]+:[^\n]*\s+)*[A-Za-z0-9+/=\\nr\s]{64,})", "private key", entropy=3.8),
    _s("PuTTY private key", r"PuTTY-User-Key-File-\d: ?[\w-]+\s+(Encryption: none)", "putty-user-key-file", entropy=0),
    _s("JSON Web Token", r"\b(ey[IJ][A-Za-z0-9_-]{10,}\.ey[IJ][A-Za-z0-9_-]{10,}\.[\w-]{20,})", "eyj", "eyi", entropy=3.8, confidence=_M),
    _s("password in a URL", r"\b[a-z][a-z0-9+.-]{1,15}://[^\s:/@'\"<>$\{\[]{0,40}:([^\s:/@'\"<>\{\[(]{4,80})@[\w-]+"
        r"\.[\w.-]+", "://", entropy=2.2, confidence=_M),
    # A JSON Web Token has a pattern of its own, which wants a signature.
    _s("authorization header", r"\b(?i:authorization)['\"]?\s*[:=]\s*['\"]?(?i:bearer|basic|"
        r"token)\s+((?:[A-Za-df-z0-9+/_=-]|e[A-Za-xz0-9+/_=-])[A-Za-z0-9+/._=-]{22,})", "authorization", entropy=3.8, confidence=_M),
    _s(
        "password in an assignment",
        r"(?i)\b[\w.-]{0,40}?(?:api_?-?key|apikey|auth_?-?token|access_?-?token|secret_?-?key|client_?-?secret|"
        r"secret|passwd|password|pwd|private_?-?key)\w{0,10}['\"]?\s*(?::=|=>|"
        r"[:=])\s*['\"]([^\s'\"<>\{\}$]{8,120})['\"]",
        "key", "secret", "token", "passw", "pwd",
        entropy=3.3,
        confidence=_L,
    ),
)  # fmt: skip
