"""What the source of a page says that its reader does not see: whose script fills a parked domain, guards a door."""

import re
from collections.abc import Mapping

from afresh.base.records.links import Turned

SOURCE = 20_000  # characters of the source that are looked at

#: Written by services whose pages are nothing else. Lower case; a page with prose of its own is not searched.
MARKERS: Mapping[Turned, tuple[str, ...]] = {
    Turned.PARKED: (
        "sedoparking", "parkingcrew", "jsparkcaf", "bodis.com", "bodiscdn", "parklogic", "//above.com", "www.above.com",
        "dsparking",
        "parking-lander", "window.park ", "window.park=", "data-adblockkey", "/adsense/domains/caf.js",
        "adsense/search/ads",
        "d38psrni17bvxu.cloudfront.net", "hugedomains.com", "afternic.com", "//dan.com", "cdn.dan.com",
        "undeveloped.com",
        "domainmarket.com", "buydomains.com", "namebright.com", "domainnamesales", "parkingpage.", "uniregistry",
        "skenzo", "cashparking", "trafficz", "rookmedia", "nameshift.com", "wsimg.com/parking", "forsale/lander",
        "/lander\"", "/lander'", "efty.com", "sedo.com/search", "sedo.com/checkdomain", "parking.reg.ru",
        "parking.nic.ru",
        "godaddy.com/forsale", "godaddy.com/domainsearch", "dynadot.com", "ztomy.com", "voodoo.com", "expireddomain",
        "register.domain", "brandbucket.com", "squadhelp.com", "epik.com", "giantpanda", "domainlore", "parkweb",
        "tonic.to", "freenom", "domain-parking", "domainparking", "domain_parking", "parkeddomain", "parked-domain",
    ),
    Turned.CAPTCHA: (
        "_cf_chl_opt", "cf-browser-verification", "cf_chl_", "challenge-form", "captcha-delivery.com", "px-captcha",
        "incapsula incident id", "main-iframe\" src=\"/_incapsula_resource", "awswafcookiedomainlist", "gokuprops",
        "sucuri_cloudproxy_js", "ddos-guard", "/.within.website/x/cmd/anubis", "sgcaptcha", "distil_r_captcha", "kpsdk",
        "challenge-error-title", "cf-challenge", "cf-error-details", "human-challenge", "bot-detection", "botdetect",
        "recaptcha/challengepage", "bm_verify(", "sec-if-cpt-", "/cdn-cgi/challenge-platform",
        "captcha-container", "captcha-page", "edgesuite.net", "errors.edgesuite",
    ),
    Turned.CONSENT_WALL: (
        "consent.google.", "guce.", "consent.yahoo", "consent.youtube", "privacywall", "cookie-wall", "cookiewall",
        "consent-wall", "pur-abo", "age-gate", "agegate", "age-verification",
    ),
    Turned.SUSPENDED: ("suspendedpage.cgi", "/cgi-sys/suspended", "suspended.page", "account-suspended"),
}  # fmt: skip


#: What systems and themes call the body of their "not found", in whatever language it speaks.
_BODY = re.compile(
    r"(?:^|[\s\"'=])(error[-_]?404|not-found-page|page[-_]?not[-_]?found|page[-_]?404|is-404)(?=[\s\"'>])"
)
#: What they call the part of a page that says so.
_MISSING = re.compile(
    r"""\b(?:class|id)\s*=\s*["']?[^"'<>]{0,200}?(?<![\w-])"""
    r"""((?:err(?:or)?|http|page|status|code|template|error-page)[-_]?404|404[-_](?:page|error)"""
    r"""|page[-_]?not[-_]?found|error[-_]not[-_]?found|next-error-h1|noarticletext)(?=[\s"'>])"""
)
#: What programs that make pages write beside them: the page they chose, and the status it should have had.
_CHOSEN = re.compile(
    r"""("page":\s?"/(?:_error|404)"|statuscode"?:\s?404|name=["']?prerender-status-code["']?\s+content=["']?404)"""
)


def marked(source: str) -> Mapping[Turned, str]:
    """The kinds whose mark is in the source of a page without much prose, each with the mark that was found."""
    searched = source[:SOURCE].lower()
    found: dict[Turned, str] = {}
    for kind, marks in MARKERS.items():
        mark = next((mark for mark in marks if mark in searched), None)
        if mark is not None:
            found[kind] = mark
    if "404" in source or "ound" in source or "noarticletext" in source:
        body = max(0, source.find("<body"))
        named = _MISSING.search(source[body : body + SOURCE].lower()) or _CHOSEN.search(searched)
        if named is not None:
            found[Turned.SOFT_404] = named[1]
    return found or missing_mark(source)


def missing_mark(source: str) -> Mapping[Turned, str]:
    """The same for the name of its body, which says "not found" however much else there is."""
    body = source.find("<body")
    named = _BODY.search(source[body : source.find(">", body) + 1].lower()) if body >= 0 else None
    return {} if named is None else {Turned.SOFT_404: named[1]}
