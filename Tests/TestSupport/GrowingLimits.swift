/// Limits in seconds for a test in which one must pass. It is repeated with the next one if other steps, on a slow machine, took longer.
package let growingLimits = [1, 8, 64, 512]
